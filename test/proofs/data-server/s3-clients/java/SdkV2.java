import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** As SdkV1, by AWS's SDK for Java 2. */
class SdkV2 {
  public static void main(String[] args) throws Exception {
    S3Client s3 =
        S3Client.builder()
            .endpointOverride(URI.create(args[0]))
            .region(Region.US_EAST_1)
            .forcePathStyle(true)
            .build();
    s3.putObject(put -> put.bucket(args[1]).key("main/aws-java-2"), Path.of("given"));
    byte[] content = s3.getObjectAsBytes(get -> get.bucket(args[1]).key("main/aws-java-2")).asByteArray();
    Files.write(Path.of("read"), content);
  }
}
