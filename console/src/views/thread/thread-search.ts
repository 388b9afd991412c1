/** The tabs of a step's details. */
export const DETAIL_TABS = ['new', 'difference', 'raw', 'effects', 'approval'] as const;
export type DetailTab = (typeof DETAIL_TABS)[number];

/** The query parameters of this view's address. */
export interface ThreadSearch {
  /** The run, by its trace id; without it, the run that the thread shows. */
  run?: string;
  /** Attempt and step as `2-14`, or a step of the last attempt that has it as `14`; without it, the view follows the latest step. */
  step?: string;
  tab?: DetailTab;
  /** The step to compare with, in the form of `step`; without it, the one before. */
  compare?: string;
  /** The run of the step to compare with; without it, the selected one. */
  against?: string;
  /** The run was started a moment ago: its thread appears with its first report. */
  begins?: true;
  /** The text to find in the transcript. */
  find?: string;
  /** Which waiting call or effect to show first, as the inbox names it. */
  at?: string;
  /** The dialog to open at once for the run. */
  act?: (typeof ACTS)[number];
}

const ACTS = ['cancel', 'retry'] as const;

export function threadSearch(search: Record<string, unknown>): ThreadSearch {
  const found: ThreadSearch = {};
  const run = textOf(search.run);
  const step = textOf(search.step);
  const compare = textOf(search.compare);
  const against = textOf(search.against);
  const find = textOf(search.find);
  const at = textOf(search.at);
  const tab = DETAIL_TABS.find((name) => name === search.tab);
  const act = ACTS.find((name) => name === search.act);
  if (act !== undefined) found.act = act;
  if (run !== undefined) found.run = run;
  if (isStep(step)) found.step = step;
  if (tab !== undefined) found.tab = tab;
  if (search.begins === true || search.begins === 'true') found.begins = true;
  if (isStep(compare)) found.compare = compare;
  if (against !== undefined) found.against = against;
  if (find !== undefined) found.find = find;
  if (at !== undefined) found.at = at;
  return found;
}

/** The router parses `14` as a number, `true` as a boolean. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isStep(text: string | undefined): text is string {
  return text !== undefined && /^(?:\d{1,9}-)?\d{1,10}$/.test(text);
}
