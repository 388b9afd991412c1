import type { ProgramIds } from './program-event.js';

/** Linux takes at most 128 KiB for one variable (MAX_ARG_STRLEN); a longer message is to be had from standard input. */
const MAX_VARIABLE_BYTES = 64 * 1024;

/** The facts about its run that a program gets. */
export interface ProgramBriefing {
  ids: ProgramIds;
  message: string;
  /** JSON text of an object; null for none. */
  context: string | null;
  isResumed: boolean;
  /** JSON text; null for none. */
  checkpoint: string | null;
}

/** The line that the program gets on standard input. Texts of others go in as they are. */
export function inputLine({ ids, message, context, isResumed, checkpoint }: ProgramBriefing): string {
  const { agent_id, thread_id, trace_id } = ids;
  const head = JSON.stringify({ message, agent_id, thread_id, trace_id }).slice(0, -1);
  return `${head},"context":${oneLine(context)},"resumed":${isResumed},"checkpoint":${oneLine(checkpoint)}}`;
}

/** The program's environment: where the API is, with a token unless it is away, and the folder of the run. */
export function programEnv(
  { ids, message }: Pick<ProgramBriefing, 'ids' | 'message'>,
  env: Readonly<Record<string, string>>,
  { url, token, runFolder }: { url: string; token: string | null; runFolder: string },
): Record<string, string> {
  const variables: Record<string, string> = {
    // Bash takes standard input, which is a socket, for a remote login and reads ~/.bashrc, unless another shell came before it.
    SHLVL: '1',
    // Into a pipe Python writes by the block: steps would be seen only at the end, and be lost with a program that is killed.
    PYTHONUNBUFFERED: '1',
    ...env,
    WAYSTATION_API_URL: url,
    WAYSTATION_AGENT_ID: ids.agent_id,
    WAYSTATION_THREAD_ID: ids.thread_id,
    WAYSTATION_TRACE_ID: ids.trace_id,
    WAYSTATION_RUN_DIR: runFolder,
  };
  // Never one that came from elsewhere: programs take what they find under this name for theirs.
  delete variables.WAYSTATION_TOKEN;
  if (token !== null) variables.WAYSTATION_TOKEN = token;
  const canBeVariable = Buffer.byteLength(message) <= MAX_VARIABLE_BYTES && !message.includes('\0');
  if (canBeVariable) variables.WAYSTATION_MESSAGE = message;
  return variables;
}

/** JSON has line ends only between its parts, where a blank does as well. */
function oneLine(json: string | null): string {
  return json === null ? 'null' : json.replace(/[\r\n]+/g, ' ');
}
