import { type AuthCase, CREDENTIALS, KEY, page } from "./case.ts";

/** Commands about access keys. */
export const CREDENTIAL_CASES: readonly AuthCase[] = [
  {
    args: "users credentials list",
    asks: ["GET /user", "GET /auth/users/carol/credentials?amount=100"],
    answer: page([KEY]),
    terminal: `+----------------------+-------------------------------+
| ACCESS KEY ID        | ISSUED DATE                   |
+----------------------+-------------------------------+
| AKIAIOSFODNN7EXAMPLQ | 2023-05-01 10:00:00 +0000 UTC |
+----------------------+-------------------------------+

`,
    piped: "AKIAIOSFODNN7EXAMPLQ\t2023-05-01 10:00:00 +0000 UTC\n\n",
  },
  {
    args: "users credentials create --id n",
    asks: ["POST /auth/users/n/credentials"],
    answer: [201, { ...KEY, secret_access_key: "s3cr3t+/" }],
    terminal: CREDENTIALS,
  },
  {
    args: "users credentials create",
    asks: ["GET /user", "POST /auth/users/carol/credentials"],
    answer: [201, { ...KEY, secret_access_key: "s3cr3t+/" }],
    terminal: CREDENTIALS,
  },
  {
    args: "users credentials create --id n --expires-in 12h30m",
    asks: ["POST /auth/users/n/credentials?expires_in=45000"],
    answer: [201, { ...KEY, secret_access_key: "s3cr3t+/", expires_at: 4102444800 }],
    terminal: CREDENTIALS.replace("\n\n", "\nExpires:           [bold:2100-01-01 00:00:00 +0000 UTC]\n\n"),
  },
  {
    args: "users credentials list --id n",
    asks: ["GET /auth/users/n/credentials?amount=100"],
    answer: page([KEY, { ...KEY, access_key_id: "L", expires_at: 4102444800 }]),
    terminal: `+----------------------+-------------------------------+-------------------------------+
| ACCESS KEY ID        | ISSUED DATE                   | EXPIRES                       |
+----------------------+-------------------------------+-------------------------------+
| AKIAIOSFODNN7EXAMPLQ | 2023-05-01 10:00:00 +0000 UTC |                               |
| L                    | 2023-05-01 10:00:00 +0000 UTC | 2100-01-01 00:00:00 +0000 UTC |
+----------------------+-------------------------------+-------------------------------+

`,
    piped:
      "AKIAIOSFODNN7EXAMPLQ\t2023-05-01 10:00:00 +0000 UTC\t\nL\t2023-05-01 10:00:00 +0000 UTC\t2100-01-01 00:00:00 +0000 UTC\n\n",
  },
  {
    args: "users credentials delete --id n --access-key-id K",
    asks: ["DELETE /auth/users/n/credentials/K"],
    answer: [204],
    terminal: "Credentials deleted successfully\n",
  },
  {
    args: "users credentials delete --access-key-id K",
    asks: ["GET /user", "DELETE /auth/users/carol/credentials/K"],
    answer: [204],
    terminal: "Credentials deleted successfully\n",
  },
];
