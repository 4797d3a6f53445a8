import com.amazonaws.client.builder.AwsClientBuilder.EndpointConfiguration;
import com.amazonaws.services.s3.AmazonS3;
import com.amazonaws.services.s3.AmazonS3ClientBuilder;
import com.amazonaws.services.s3.model.GetObjectRequest;
import java.io.File;

/** Writes the file "given" by AWS's SDK for Java 1 and reads it to "read": its arguments are the endpoint and the bucket. */
class SdkV1 {
  public static void main(String[] args) {
    AmazonS3 s3 =
        AmazonS3ClientBuilder.standard()
            .withEndpointConfiguration(new EndpointConfiguration(args[0], "us-east-1"))
            .withPathStyleAccessEnabled(true)
            .build();
    s3.putObject(args[1], "main/aws-java-1", new File("given"));
    s3.getObject(new GetObjectRequest(args[1], "main/aws-java-1"), new File("read"));
  }
}
