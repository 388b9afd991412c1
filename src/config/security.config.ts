/** Where the machine secret comes from. */
export class SecurityConfig {
  /**
   * File of the machine secret (`WAYSTATION_SECRET_FILE`); null means `.api-secret` in the home directory. Instances that share
   * one PostgreSQL share this file's content, so with `DATABASE_URL` a file that is named here must exist.
   */
  secretFile: string | null = null;
}
