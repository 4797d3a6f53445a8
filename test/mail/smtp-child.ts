/** A mail server as a process of its own; it is told what to do, and tells what it got, over the IPC channel. */

import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { FromServer, ServerPlan, ToServer } from "./mail-server.ts";

const plan = JSON.parse(process.argv[2] ?? "{}") as ServerPlan;
let refuse: ToServer["refuse"] = plan.refuse ?? {};

function refusal(at: keyof ToServer["refuse"]): Error | undefined {
  const [code, text = "refused by the test"] = refuse[at] ?? [];
  return code === undefined ? undefined : Object.assign(new Error(text), { responseCode: code });
}

const tell = (message: FromServer): void => {
  process.send?.(message);
};

const options: SMTPServerOptions = {
  logger: false,
  secure: plan.implicitTls ?? false,
  ...(plan.certificate ?? {}),
  disabledCommands: [
    ...(plan.certificate === undefined || plan.implicitTls ? ["STARTTLS"] : []),
    ...(plan.login === undefined ? ["AUTH"] : []),
  ],
  allowInsecureAuth: plan.insecureAuth ?? false,
  onAuth(auth, _session, callback) {
    const isRight = auth.username === plan.login?.username && auth.password === plan.login?.password;
    tell({ kind: "login", username: auth.username ?? "", right: isRight });
    // Real servers have been seen to repeat what they were told.
    if (isRight) callback(null, { user: auth.username as string });
    else callback(Object.assign(new Error(`no ${auth.password}`), { responseCode: 535 }));
  },
  onMailFrom: (_address, _session, callback) => callback(refusal("mail")),
  onRcptTo(address, _session, callback) {
    tell({ kind: "recipient", address: address.address });
    callback(refusal("recipient"));
  },
  onData(stream, session, callback) {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const raw = Buffer.concat(chunks).toString();
      const { mailFrom, rcptTo } = session.envelope;
      tell({
        kind: "mail",
        from: mailFrom === false ? "" : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        raw,
        tls: session.secure,
        user: String(session.user ?? ""),
        helo: session.hostNameAppearsAs || "",
      });
      if (plan.hang) return;
      const link = /token=3D([\s\S]{60})/.exec(raw)?.[1]?.replaceAll(/=\r\n/g, "") ?? "";
      const failure = refusal("data");
      callback(failure && Object.assign(failure, { message: `5.7.1 bad link ${link}` }));
    });
  },
};

const server = new SMTPServer(options);
server.on("error", () => undefined);
const listening = server.listen(plan.port ?? 0, "127.0.0.1", () => {
  tell({ kind: "ready", port: (listening.address() as { port: number }).port });
});
process.on("message", (message: ToServer) => {
  refuse = message.refuse;
});
process.on("disconnect", () => process.exit(0));
