/** Configuration items that this service shares with the data server: e-mail. */
import type { ConfigItem } from "../item.ts";

/** E-mail. */
export const EMAIL_ITEMS = [
  { name: "email.smtp_host", type: "string", default: null, acts: "yes", meaning: "Mail server host" },
  {
    name: "email.smtp_port",
    type: "int",
    default: null,
    acts: "yes",
    min: 1,
    max: 65535,
    meaning: "Mail server port",
  },
  {
    name: "email.use_ssl",
    type: "bool",
    default: false,
    acts: "yes",
    meaning: "Connect to the mail server with SSL",
  },
  {
    name: "email.username",
    type: "string",
    default: null,
    acts: "yes",
    meaning: "Mail account user name",
  },
  {
    name: "email.password",
    type: "string",
    default: null,
    acts: "yes",
    secret: true,
    meaning: "Mail account password",
  },
  {
    name: "email.local_name",
    type: "string",
    default: "localhost",
    acts: "yes",
    meaning: "Host name sent in HELO",
  },
  { name: "email.sender", type: "string", default: null, acts: "yes", meaning: "Sender address" },
  {
    name: "email.svc_base_url",
    type: "string",
    default: "http://localhost:8000",
    acts: "yes",
    meaning: "Base address put into mails",
  },
  {
    name: "email.limit_every_duration",
    type: "duration",
    default: "1m",
    acts: "yes",
    meaning: "Average time between mails; 0 means no limit",
  },
  {
    name: "email.burst",
    type: "int",
    default: 10,
    acts: "yes",
    meaning: "Mails allowed in a burst; 0 sends none",
  },
] as const satisfies readonly ConfigItem[];
