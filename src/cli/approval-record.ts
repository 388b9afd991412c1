import { JsonScanner } from '../common/json-scanner.js';

export interface ApprovalCall {
  index: number;
  id: string | null;
  name: string | null;
  /** Exact JSON: the edited arguments, which the agent executes, else the reported ones. */
  args: string;
  decision: 'approve' | 'reject' | null;
  /** Of this call alone. */
  reason: string | null;
}

/** The data of an approval that a person needs; arguments as exact JSON, so that nobody approves a rounded number. */
export interface ApprovalRecord {
  trace_id: string;
  step: number;
  thread_id: string;
  agent_id: string;
  parent_trace_id: string | null;
  status: string;
  digest: string;
  attempt: number;
  created_at: string;
  decided_by: string | null;
  decided_through: string | null;
  reason: string | null;
  calls: ApprovalCall[];
  /** The record as the server sent it, on one line. */
  json: string;
}

export interface ApprovalPage {
  records: ApprovalRecord[];
  nextCursor: string | null;
}

/** Reads a page of the list of approvals. */
export function readApprovalPage(text: string): ApprovalPage {
  const scanner = new JsonScanner(Buffer.from(text));
  const page: ApprovalPage = { records: [], nextCursor: null };
  scanner.members((name) => {
    if (name === 'items') scanner.elements(() => page.records.push(readApproval(valueText(scanner))));
    else {
      const value = valueText(scanner);
      if (name === 'next_cursor') page.nextCursor = JSON.parse(value) as string | null;
    }
  });
  return page;
}

export function readApproval(text: string): ApprovalRecord {
  const record = JSON.parse(text) as Omit<ApprovalRecord, 'calls' | 'json'>;
  const scanner = new JsonScanner(Buffer.from(text));
  const calls: ApprovalRecord['calls'] = [];
  scanner.members((name) => {
    if (name === 'tool_calls') scanner.elements(() => calls.push(readCall(scanner)));
    else scanner.value();
  });
  // Between the tokens of JSON a line break is as good as a space, and within them there is none.
  return { ...record, calls, json: text.replaceAll(/[\r\n]+/g, ' ') };
}

function readCall(scanner: JsonScanner): ApprovalCall {
  const members = new Map<string, string>();
  scanner.members((name) => members.set(name, valueText(scanner)));
  const edited = members.get('edited_args') ?? 'null';
  return {
    index: Number(members.get('index')),
    id: JSON.parse(members.get('id') ?? 'null') as string | null,
    name: JSON.parse(members.get('name') ?? 'null') as string | null,
    args: edited === 'null' ? (members.get('args') ?? '') : edited,
    decision: JSON.parse(members.get('decision') ?? 'null') as ApprovalCall['decision'],
    reason: JSON.parse(members.get('reason') ?? 'null') as string | null,
  };
}

function valueText(scanner: JsonScanner): string {
  const [from, to] = scanner.value();
  return scanner.bytes.toString('utf8', from, to);
}
