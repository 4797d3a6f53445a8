"""Lists buckets with AWS's own SDK and the credentials of the environment."""

import sys

import boto3
import botocore

s3 = boto3.client(
    "s3",
    endpoint_url=sys.argv[1],
    config=botocore.config.Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
)
try:
    s3.list_buckets()
    print("listed")
except botocore.exceptions.ClientError as error:
    print(error.response["Error"]["Code"])
