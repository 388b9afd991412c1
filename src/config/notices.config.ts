/** Where notices may go. */
export class NoticesConfig {
  /**
   * Hosts in private networks that notices may be sent to (`WAYSTATION_NOTICE_HOSTS`): names or addresses as in URLs, separated by commas,
   * without scheme and port. Empty: none.
   */
  hosts: readonly string[] = [];
}
