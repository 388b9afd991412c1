import { DomainError } from '../common/domain-error.js';
import { errorCode } from '../common/error-code.js';
import { placeOf, type PostgresPlace } from './postgres-url.js';

/** The fault in one sentence, and the remedy in another. */
type Explanation = (place: PostgresPlace, said: string) => string;

const UNTRUSTED: Explanation = ({ server }, said) =>
  `PostgreSQL at ${server} shows a certificate that this machine does not trust (${said}). Name its authority in DATABASE_URL (sslmode=verify-full&sslrootcert=FILE), or encrypt without checking who answers (sslmode=no-verify).`;
const AWAY: Explanation = ({ server }, said) =>
  `PostgreSQL at ${server} does not answer (${said}). Start it, or correct the host and the port in DATABASE_URL.`;
const UNKNOWN_HOST: Explanation = ({ server }, said) =>
  `The host in DATABASE_URL, ${server}, cannot be resolved (${said}). Correct it, or this machine's name resolution.`;
const REFUSED_USER: Explanation = ({ server, user }, said) =>
  `PostgreSQL at ${server} refuses the user ${user}: ${said}. Correct the user and the password in DATABASE_URL, or pg_hba.conf there.`;
const NOT_ALLOWED: Explanation = ({ user, database }, said) =>
  `The role ${user} lacks rights that Waystation needs in the database ${database}: ${said}. Let the owner run GRANT CREATE, USAGE ON SCHEMA public TO "${user}", or make the role the owner of the tables.`;

const BY_CODE: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: AWAY,
  ECONNRESET: AWAY,
  EHOSTUNREACH: AWAY,
  ENETUNREACH: AWAY,
  EPIPE: AWAY,
  ETIMEDOUT: AWAY,
  ENOENT: AWAY, // the socket
  ENOTFOUND: UNKNOWN_HOST,
  EAI_AGAIN: UNKNOWN_HOST,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_HAS_EXPIRED: UNTRUSTED,
  CERT_NOT_YET_VALID: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: UNTRUSTED,
  '28000': REFUSED_USER,
  '28P01': REFUSED_USER,
  '3D000': ({ server, database }) =>
    `There is no database ${database} at ${server}. Create one WITH ENCODING UTF8, or correct the name in DATABASE_URL.`,
  '53300': ({ server }) =>
    `PostgreSQL at ${server} has no connections left. Raise max_connections there, or lower WAYSTATION_DATABASE_POOL_SIZE.`,
  '57P03': ({ server }, said) =>
    `PostgreSQL at ${server} is not accepting connections yet (${said}). Try again in a moment.`,
  '08P01': ({ server }, said) =>
    `The server at ${server} refuses a connection parameter (${said}), as PgBouncer does. Remove it from DATABASE_URL, or use PostgreSQL's direct address.`,
  '42501': NOT_ALLOWED,
  '25006': ({ server, database }) =>
    `The database ${database} at ${server} is read-only. Use the primary, or turn off default_transaction_read_only for it and its role.`,
};

/** For driver errors without a code. */
const BY_MESSAGE: readonly (readonly [RegExp, Explanation])[] = [
  [
    /does not support SSL/i,
    ({ server }) => `PostgreSQL at ${server} offers no TLS. Turn it on there, or remove sslmode from DATABASE_URL.`,
  ],
  [
    /password must be a (non-empty )?string/i,
    ({ server, user }) =>
      `PostgreSQL at ${server} requires a password for the user ${user}, but DATABASE_URL has none.`,
  ],
  [/timeout|terminated/i, AWAY],
];

/**
 * Why PostgreSQL cannot be used, with advice for the operator; the error itself if unknown. Names the host, user and database, never the
 * password.
 */
export function connectionFault(error: unknown, url: string): unknown {
  if (error instanceof DomainError) return error;
  const cause = (error as { driverError?: unknown })?.driverError ?? error; // TypeORM wraps the driver's errors during migrations
  const said = saidBy(cause);
  const explain = BY_CODE[errorCode(cause) ?? ''] ?? BY_MESSAGE.find(([pattern]) => pattern.test(said))?.[1];
  if (!explain) return error;
  return new DomainError('unavailable', 'storage_unusable', explain(placeOf(url), said), { cause });
}

/** If several addresses of one host fail, the error itself has no message. */
function saidBy(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  return message === '' ? (errorCode(error) ?? 'no reason given') : message.replace(/\.$/, '');
}
