/** The items of signing in with an account of an LDAP directory. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.ldap`. */
export const LDAP_ITEMS = [
  {
    name: "authorizer.ldap.url",
    type: "string",
    default: null,
    acts: "yes",
    meaning:
      "Address of the LDAP server with which people sign in, such as ldaps://ldap.example.com; ldap:// needs start_tls, except on this machine",
  },
  {
    name: "authorizer.ldap.title",
    type: "string",
    default: "LDAP",
    acts: "yes",
    meaning: "The name by which people know the directory",
  },
  {
    name: "authorizer.ldap.start_tls",
    type: "bool",
    default: false,
    acts: "yes",
    meaning: "Turn a connection to ldap:// into one with TLS before anything is sent",
  },
  {
    name: "authorizer.ldap.ca_file",
    type: "string",
    default: null,
    path: "file",
    acts: "yes",
    meaning:
      "Absolute path of the certificates of authorities that the server's certificate is checked with; default those of Node",
  },
  {
    name: "authorizer.ldap.bind_dn",
    type: "string",
    default: null,
    acts: "yes",
    meaning: "DN as which people are looked up; absent: anonymously",
  },
  {
    name: "authorizer.ldap.bind_password",
    type: "string",
    default: null,
    secret: true,
    acts: "yes",
    meaning: "Password of bind_dn",
  },
  {
    name: "authorizer.ldap.bind_password_file",
    type: "string",
    default: null,
    path: "file",
    acts: "yes",
    meaning: "Absolute path of a file whose first line is that password",
  },
  {
    name: "authorizer.ldap.user_base_dn",
    type: "string",
    default: null,
    acts: "yes",
    meaning: "DN below which people are",
  },
  {
    name: "authorizer.ldap.user_filter",
    type: "string",
    default: "(objectClass=person)",
    acts: "yes",
    meaning: "Filter that an entry of a person has to match besides having the name",
  },
  {
    name: "authorizer.ldap.username_attribute",
    type: "string",
    default: "uid",
    acts: "yes",
    meaning:
      "Attribute with the name that people type, which is their user name here; sAMAccountName in Active Directory",
  },
  {
    name: "authorizer.ldap.external_id_attribute",
    type: "string",
    default: "entryUUID",
    acts: "yes",
    meaning:
      "Attribute with an id that never changes, the external id after `ldap:`; objectGUID in Active Directory",
  },
  {
    name: "authorizer.ldap.group_base_dn",
    type: "string",
    default: null,
    acts: "yes",
    meaning: "DN below which groups are; absent: groups are not read",
  },
  {
    name: "authorizer.ldap.group_filter",
    type: "string",
    default: "(member={dn})",
    acts: "yes",
    meaning: "Filter of the groups of a person, with {dn} and {username} for that person",
  },
  {
    name: "authorizer.ldap.group_name_attribute",
    type: "string",
    default: "cn",
    acts: "yes",
    meaning: "Attribute with the name of a group",
  },
  {
    name: "authorizer.ldap.assert_groups",
    type: "strings",
    default: [],
    acts: "yes",
    meaning:
      "Patterns of the names of groups that membership there gives here; a protected group only by its very name",
  },
  {
    name: "authorizer.ldap.create_users",
    type: "bool",
    default: false,
    acts: "yes",
    meaning: "Make the user at the first sign-in",
  },
  {
    name: "authorizer.ldap.directory_users",
    type: "bool",
    default: false,
    acts: "yes",
    meaning: "Take the user of the same name, where it has no external id, and link it",
  },
  {
    name: "authorizer.ldap.timeout",
    type: "duration",
    default: "5s",
    min: "100ms",
    max: "30s",
    acts: "yes",
    meaning: "Time for a sign-in at the server, from the connection on",
  },
] as const satisfies readonly ConfigItem[];
