import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EncodingError, fileText } from '../../../common/file-text.js';
import type { Environment } from '../../../config/env-reader.js';
import { readAgent } from './agent-reader.js';
import {
  Definition,
  type AgentDefinition,
  type Trigger,
  type WebhookTrigger,
  DefinitionError,
  faultLine,
  type DefinitionFault,
} from './definition.js';
import { parseDefinitionText } from './definition-text.js';
import { Fields, type FileMap } from './fields.js';
import { readTrigger } from './trigger-reader.js';
import { plainPath } from './webhook-endpoint.js';

export interface DefinitionOptions {
  /** Values for `${NAME}`. */
  readonly variables: Environment;
  /** Port of webhooks that name none; two webhooks on one port and path are a fault. */
  readonly defaultPort: number;
}

/**
 * Reads a definition file, YAML or JSON.
 * @throws DefinitionError with all faults
 */
export function readDefinition(file: string, options: DefinitionOptions): Definition {
  let text: string;
  try {
    text = fileText(readFileSync(file));
  } catch (error) {
    throw new DefinitionError(file, [{ path: '', detail: unreadable(error) }]);
  }
  return parseDefinition(file, text, options);
}

/**
 * The same for text that was already read from `file`.
 * @throws DefinitionError with all faults
 */
export function parseDefinition(file: string, text: string, options: DefinitionOptions): Definition {
  const parsed = parseDefinitionText(text);
  if ('faults' in parsed) throw new DefinitionError(file, parsed.faults);
  const reader = new DefinitionReader(parsed.map, path.resolve(file), options);
  const definition = reader.read();
  if (reader.faults.length > 0) throw new DefinitionError(file, [...reader.faults, ...reader.slips]);
  return definition;
}

class DefinitionReader {
  readonly faults: DefinitionFault[] = [];
  private readonly agents: AgentDefinition[] = [];
  private readonly triggers: Trigger[] = [];
  private readonly root: Fields;
  private readonly agentFields = new Map<string, Fields>();

  /** Probably misspelt keys; complete after `read`. */
  slips: DefinitionFault[] = [];

  constructor(
    private readonly map: FileMap,
    private readonly file: string,
    private readonly options: DefinitionOptions,
  ) {
    this.root = new Fields(map, '', this.faults);
  }

  read(): Definition {
    this.readAgents();
    const [entry] = this.agentFields.keys();
    for (const fields of [this.root, ...this.agentFields.values()]) fields.has('triggers');
    for (const key of this.map.keys()) {
      if (key === 'triggers') this.readTriggers(this.root, entry ?? '');
      if (key === 'agents') for (const [name, fields] of this.agentFields) this.readTriggers(fields, name);
    }
    this.checkPlaces();
    const image = this.root.text('image');
    this.slips = this.root.likelyTypos();
    return new Definition(this.file, this.agents, this.triggers, image, this.slips.map(faultLine));
  }

  private readAgents(): void {
    if (!this.root.has('agents')) return void this.root.fault('agents', 'is missing: a map of names to agents');
    const section = this.root.section('agents');
    if (section?.entries().length === 0) this.root.fault('agents', 'must have at least one agent');
    const { variables } = this.options;
    for (const [name, value] of section?.entries() ?? []) {
      if (!(value instanceof Map)) {
        section?.fault(name, 'must be a map, with the `command` that starts the agent');
        continue;
      }
      const fields = section!.part(value, section!.pathOf(name));
      this.agentFields.set(name, fields);
      this.agents.push(readAgent(name, fields, { variables, directory: path.dirname(this.file) }));
    }
  }

  private readTriggers(fields: Fields, agentName: string): void {
    const list = fields.get('triggers');
    if (list === undefined) return;
    if (!Array.isArray(list)) return void fields.fault('triggers', 'must be a list');
    const { variables } = this.options;
    const agentNames = [...this.agentFields.keys()];
    list.forEach((value, index) => {
      const entry = fields.entry('triggers', index, value);
      const trigger = entry === null ? null : readTrigger(entry, { variables, agentNames, agentName });
      if (trigger !== null) this.triggers.push(this.withOwnKey(trigger));
    });
  }

  /** Two identical schedules are still two. */
  private withOwnKey(trigger: Trigger): Trigger {
    if (trigger.type !== 'schedule') return trigger;
    const isTwin = (other: Trigger) => other.type === 'schedule' && other.key.startsWith(trigger.key);
    const twins = this.triggers.filter(isTwin).length;
    return twins === 0 ? trigger : { ...trigger, key: `${trigger.key}-${twins}` };
  }

  private checkPlaces(): void {
    const taken = new Map<string, string>();
    for (const trigger of this.triggers) {
      if (trigger.type !== 'webhook' || trigger.endpoint === '') continue;
      const place = this.placeOf(trigger);
      const first = taken.get(place);
      if (first === undefined) taken.set(place, trigger.path);
      else this.root.faultAt(`${trigger.path}.endpoint`, `${place} is already used by ${first}`);
    }
  }

  private placeOf({ endpoint, port }: WebhookTrigger): string {
    return `port ${port ?? this.options.defaultPort}, path ${plainPath(endpoint) ?? endpoint}`;
  }
}

function unreadable(error: unknown): string {
  if (error instanceof EncodingError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'is a folder, not a file';
  return `cannot be read (${code || 'unknown error'})`;
}
