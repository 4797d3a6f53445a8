// Writes the file "given" by minio-go and reads it to "read": its arguments are the endpoint and the bucket.
package main

import (
	"context"
	"log"
	"os"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

func main() {
	host := strings.TrimPrefix(os.Args[1], "http://")
	s3, err := minio.New(host, &minio.Options{Creds: credentials.NewEnvAWS(), Region: "us-east-1"})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s3.FPutObject(context.Background(), os.Args[2], "main/minio-go", "given", minio.PutObjectOptions{}); err != nil {
		log.Fatal(err)
	}
	if err := s3.FGetObject(context.Background(), os.Args[2], "main/minio-go", "read", minio.GetObjectOptions{}); err != nil {
		log.Fatal(err)
	}
}
