/** Errors of PostgreSQL and of its driver in the words of this service. */

/** Returns the cause and the remedy; it never contains the connection string, which has a password. */
export function postgresReason(error: unknown): string {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (UNREACHED.has(code) || message === "timeout expired" || /connection timeout/.test(message)) {
    return `nothing answers at the address in database.postgres.connection_string${code && ` (${code})`}`;
  }
  if (/unsupported startup parameter/.test(message)) {
    return "a pooler refuses the options of the connection: connect to PostgreSQL itself, or set ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout, options in PgBouncer";
  }
  if (/does not support SSL/.test(message)) {
    return "it offers no TLS: turn ssl on there, or set sslmode=disable in database.postgres.connection_string where the network itself is safe";
  }
  if (/certificate|SSL|TLS/i.test(`${message} ${code}`)) {
    return `the certificate of the server is not accepted (${code || message}): name its authority with sslrootcert=FILE in database.postgres.connection_string, and the host as the certificate does`;
  }
  if (code === "ECONNRESET" || code === "EPIPE" || /Connection terminated/.test(message)) {
    return "it closed the connection: check that database.postgres.connection_string leads to a PostgreSQL, and read its log";
  }
  return /^[0-9A-Z]{5}$/.test(code) ? message : code || message;
}

const UNREACHED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
]);

/** By SQLSTATE. */
const BY_CODE: ReadonlyMap<string, string> = new Map([
  ["28P01", "user or password is wrong; check database.postgres.connection_string"],
  [
    "28000",
    "user or password is wrong, or pg_hba.conf has no line for them; check database.postgres.connection_string",
  ],
  ["3D000", "the database named in database.postgres.connection_string does not exist"],
  [
    "42501",
    "the user lacks rights on the tables svc_authorizer_…; restart to see the statements that grant them",
  ],
  [
    "42P01",
    "a table svc_authorizer_… is gone: put back a backup of the database. A node that starts makes empty tables, and the others keep their copies",
  ],
  ["53100", "its disk is full; make room there, nothing has to be done here"],
  ["53200", "it has no memory left"],
  [
    "53300",
    "it has too many connections; lower database.postgres.max_open_connections or raise max_connections",
  ],
  ["25006", "it is read-only; name the primary in database.postgres.connection_string"],
  ["57P01", "it is shutting down"],
  ["57P03", "it is starting up or shutting down"],
]);
