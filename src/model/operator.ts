// Operators: their roles, and the one table of what each role may do, on the desk and in the operator API alike.

/** The roles, each of which may do all that the ones before it may. */
export const ROLES = ["viewer", "support", "admin"] as const;

export type Role = (typeof ROLES)[number];

/** The least role for each kind of act. */
const LEAST_ROLE = {
  /** Every page and every GET of the operator API. No reply to it contains a key. */
  read: "viewer",
  /** Suspend and activate an account. */
  standing: "support",
  /** See a person's number and e-mail, and the recipients of messages, in full. */
  reveal: "support",
  /** Revoke a key: a leaked key must not wait for an admin. */
  revokeKeys: "support",
  /** Queue dead letters again or delete them; their rows are safe in the accounts either way. */
  queues: "support",
  /** Send a test notice to the channel of alerts. */
  alerts: "support",
  /** Open an account, which may begin with credit, and whose keys are in the reply. */
  openAccounts: "admin",
  /** Make or rotate a key, which spends the account's balance and is in the reply. */
  makeKeys: "admin",
  /** Credits and adjustments. */
  money: "admin",
  /** The plan and the OTP rate of an account. */
  terms: "admin",
  /** The rate card. */
  prices: "admin",
  /** Carriers and routes, which hold other companies' credentials, and a test message, which costs money there. */
  carriers: "admin",
  /** Note quarantined payment events as resolved. */
  payments: "admin",
  /** Let accounts record their history again, which writes all its rows. */
  history: "admin",
  /** Close an account, take that back, erase it, and get all that it has. */
  leaving: "admin",
  /** End sessions of the desk. */
  sessions: "admin",
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof LEAST_ROLE;

/** The least role that may do this. */
export const leastRole = (permission: Permission): Role => LEAST_ROLE[permission];

export function mayDo(role: Role, permission: Permission): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(LEAST_ROLE[permission]);
}

/** The operator of a request. */
export interface Operator {
  /** The e-mail in lower case, or `token` for the holder of OPERATOR_TOKEN. */
  name: string;
  role: Role;
  /** A handle of the session, from which no session can be made; null for the token in the operator API. */
  session: string | null;
}

/** The name and role of the holder of OPERATOR_TOKEN. */
export const TOKEN_HOLDER = { name: "token", role: "admin" } as const;

/** Who has a role: the e-mail of one operator, or `*@` and a domain for all others of it. */
export interface RoleGrant {
  who: string;
  role: Role;
}

const GRANT = /^(?<who>(?:\*|[\w.!#$%&'*+/?^`{|}~-]+)@[a-z0-9-]+(?:\.[a-z0-9-]+)+)\s*=\s*(?<role>[a-z]+)$/iu;

const isRole = (text: string): text is Role => ROLES.some((role) => role === text);

/** Reads `alice@example.com=admin, *@example.com=viewer`; null when an entry is malformed or stands twice. */
export function readGrants(text: string): RoleGrant[] | null {
  const grants: RoleGrant[] = [];
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const { who = "", role = "" } = GRANT.exec(entry)?.groups ?? {};
    const known = grants.some((grant) => grant.who === who.toLowerCase());
    if (who === "" || known || !isRole(role.toLowerCase())) return null;
    grants.push({ who: who.toLowerCase(), role: role.toLowerCase() as Role });
  }
  return grants;
}

/** The role of an e-mail in lower case, of which its own grant counts before its domain's; null for none. */
export function roleOf(grants: readonly RoleGrant[], email: string): Role | null {
  const domain = email.slice(email.lastIndexOf("@"));
  const grant = grants.find(({ who }) => who === email) ?? grants.find(({ who }) => who === `*${domain}`);
  return grant?.role ?? null;
}
