"""Lists a bucket with AWS's own SDK, each time a line arrives. Its credentials come from the environment."""

import os
import sys

import boto3
import botocore

settings = botocore.config.Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1})
credentials = {}
if sys.argv[2:] == ["once"]:
    # As a program that asks for one key, and goes on with it.
    with open(os.environ["AWS_WEB_IDENTITY_TOKEN_FILE"], encoding="utf-8") as file:
        made = boto3.client("sts").assume_role_with_web_identity(
            RoleArn=os.environ["AWS_ROLE_ARN"],
            RoleSessionName="once",
            WebIdentityToken=file.read(),
            DurationSeconds=900,
        )["Credentials"]
    print(int(made["Expiration"].timestamp()), flush=True)
    credentials = {
        "aws_access_key_id": made["AccessKeyId"],
        "aws_secret_access_key": made["SecretAccessKey"],
        "aws_session_token": made["SessionToken"],
    }
s3 = boto3.client("s3", endpoint_url=sys.argv[1], config=settings, **credentials)
for line in sys.stdin:
    try:
        s3.list_objects_v2(Bucket=line.strip())
        print("listed", flush=True)
    except botocore.exceptions.ClientError as error:
        print(error.response["Error"]["Code"], flush=True)
