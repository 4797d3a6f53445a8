/** `svcctl fs`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { GroupSpec } from "../command.ts";
import { PRE_SIGN, TRANSFER } from "../transfer/transfer-options.ts";
import { EXAMPLE, PATH } from "../uri/arguments.ts";

const FILE = `${EXAMPLE}/main/data/a.csv`;
const FOLDER = `${EXAMPLE}/main/data/`;

const recursive = (description: string): OptionSpec => ({ flags: "-r, --recursive", description });
const CONTENT_TYPE: OptionSpec = {
  flags: "--content-type <string>",
  description: "MIME type of the content",
};

const STAGE_OPTIONS: readonly OptionSpec[] = [
  {
    flags: "--location <string>",
    description: "where the object is, such as s3://example-bucket/path/to/object",
    required: true,
  },
  { flags: "--size <int>", description: "size of the object in bytes", kind: "integer", required: true },
  { flags: "--checksum <string>", description: "MD5 checksum of the object, hexadecimal", required: true },
  {
    flags: "--mtime <int>",
    description: "when the object changed, in seconds since 1970 (default: now)",
    kind: "integer",
  },
  CONTENT_TYPE,
  {
    flags: "--meta <strings>",
    description: "metadata of the object, as key=value (repeatable, or with commas)",
    kind: "list",
  },
  JSON_OUTPUT,
];

const NO_VERIFY: OptionSpec = {
  flags: "--no-verify",
  description:
    "do not compare the checksums of large contents that move in one piece: quicker, on a way that you trust",
};

/** Objects of a repository. */
export const FS_GROUP: GroupSpec = {
  name: "fs",
  description: "Views and changes objects.",
  commands: [
    {
      ...PATH,
      name: "cat",
      description: "Writes the content of an object to standard output.",
      examples: [FILE],
      options: PRE_SIGN,
      load: async () => (await import("./cat.ts")).cat,
    },
    {
      name: "download",
      description: "Downloads an object, or all objects below a path.",
      arguments: "<path-uri> [destination]",
      argumentCount: [1, 2],
      examples: [`${FILE} a.csv`, `${FOLDER} data --recursive`],
      options: [
        ...TRANSFER,
        {
          flags: "--part-size <int>",
          description: "bytes of a part; larger objects are downloaded in parts",
          kind: "integer",
          default: 8_388_608,
        },
        recursive("download all objects below the path"),
        NO_VERIFY,
        JSON_OUTPUT,
      ],
      load: async () => (await import("./download.ts")).download,
    },
    {
      ...PATH,
      name: "ls",
      description: "Lists the entries below a path.",
      examples: [FOLDER, `${FOLDER} --recursive`],
      options: [recursive("list all objects below the path"), JSON_OUTPUT],
      load: async () => (await import("./list-entries.ts")).listEntries,
    },
    {
      ...PATH,
      name: "presign",
      description: "Prints a pre-signed URL that reads an object.",
      examples: [FILE],
      options: [JSON_OUTPUT],
      load: async () => (await import("./presign.ts")).presign,
    },
    {
      ...PATH,
      name: "rm",
      mustName: true,
      description: "Deletes an object, or all objects below a path.",
      examples: [FILE, `${FOLDER} --recursive`],
      options: [
        {
          flags: "-C, --concurrency <int>",
          description: "calls at once",
          kind: "integer",
          default: 50,
        },
        recursive("delete all objects below the path"),
        JSON_OUTPUT,
      ],
      load: async () => (await import("./remove.ts")).remove,
    },
    {
      ...PATH,
      name: "stat",
      description: "Shows the metadata of an object.",
      examples: [FILE],
      options: [...PRE_SIGN, JSON_OUTPUT],
      load: async () => (await import("./stat.ts")).stat,
    },
    {
      ...PATH,
      name: "upload",
      description: "Uploads a file, or all files of a folder.",
      examples: [
        `${FILE} --source a.csv`,
        `${FOLDER} --source data --recursive`,
        `${FILE} --source - < a.csv`,
      ],
      options: [
        {
          flags: "-s, --source <string>",
          description: "local file, or - for standard input",
          required: true,
        },
        CONTENT_TYPE,
        ...TRANSFER,
        recursive("upload all files below the source"),
        NO_VERIFY,
        JSON_OUTPUT,
      ],
      load: async () => (await import("./upload.ts")).upload,
    },
    {
      ...PATH,
      name: "stage",
      description: "Links an object outside the repository's storage namespace to a path (plumbing).",
      examples: [
        `${FILE} --location s3://example-bucket/a.csv --size 12 --checksum 7215ee9c7d9dc229d2921a40e899ec5f`,
      ],
      options: STAGE_OPTIONS,
      load: async () => (await import("./stage.ts")).stage,
    },
    {
      ...PATH,
      name: "update-metadata",
      description: "Sets the metadata of an object (plumbing).",
      examples: [`${FILE} --metadata source=lab,quality=high`],
      options: [
        {
          flags: "--metadata <strings>",
          description: "metadata in the form key1=value1,key2=value2",
          kind: "list",
        },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./update-metadata.ts")).updateMetadata,
    },
  ],
};
