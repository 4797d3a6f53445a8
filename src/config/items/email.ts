/** Items that a data server has too: e-mail. */
import type { ConfigItem } from "../item.ts";

/** E-mail. */
export const EMAIL_ITEMS = [
  { name: "email.smtp_host", type: "string", default: null, actsOn: "both", meaning: "Mail server host" },
  {
    name: "email.smtp_port",
    type: "int",
    default: null,
    actsOn: "both",
    min: 1,
    max: 65535,
    meaning: "Mail server port",
  },
  {
    name: "email.use_ssl",
    type: "bool",
    default: false,
    actsOn: "both",
    meaning: "Connect to the mail server with SSL",
  },
  {
    name: "email.username",
    type: "string",
    default: null,
    actsOn: "both",
    meaning: "Mail account user name",
  },
  {
    name: "email.password",
    type: "string",
    default: null,
    actsOn: "both",
    secret: true,
    meaning: "Mail account password",
  },
  {
    name: "email.local_name",
    type: "string",
    default: "localhost",
    actsOn: "both",
    meaning: "Host name sent in HELO",
  },
  { name: "email.sender", type: "string", default: null, actsOn: "both", meaning: "Sender address" },
  {
    name: "email.svc_base_url",
    type: "string",
    default: "http://localhost:8000",
    actsOn: "both",
    meaning: "Base address put into mails",
  },
  {
    name: "email.limit_every_duration",
    type: "duration",
    default: "1m",
    actsOn: "both",
    meaning: "Average time between mails; 0 means no limit",
  },
  {
    name: "email.burst",
    type: "int",
    default: 10,
    actsOn: "both",
    meaning: "Mails allowed in a burst; 0 sends none",
  },
] as const satisfies readonly ConfigItem[];
