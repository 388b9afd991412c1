/** Where the machine secret comes from. */
export class SecurityConfig {
  /**
   * File of the machine secret (`WAYSTATION_SECRET_FILE`); null means `.api-secret` in the home directory. Instances on one PostgreSQL
   * database share the secret, so with `DATABASE_URL` a file named here must exist.
   */
  secretFile: string | null = null;
}
