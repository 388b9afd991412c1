import { createHash } from 'node:crypto';
import { cutText } from '../../common/cut-text.js';
import { DomainError, invalidField, type FieldFault } from '../../common/domain-error.js';
import { idFault } from '../../common/id-fault.js';
import { JsonCheck } from '../../common/json-check.js';
import { MAX_ELEMENT_LEVELS } from '../../common/json-limits.js';
import { JsonScanner } from '../../common/json-scanner.js';
import { TimeSlices } from '../../common/time-slices.js';
import { assertUtf8, brokenJson, textStart } from '../../http/body/json-body.js';

/** Values of a checkpoint and writes of a task per body. */
const MAX_PARTS = 10_000;
/** Bytes of the metadata. */
const MAX_METADATA_BYTES = 1024 * 1024;
/** Bytes of an id or a number with every character escaped. */
const MAX_SHORT_BYTES = 8 * 1024;
/** Characters of a name in a response. */
const MAX_NAME = 100;
/** Faults in a response. */
const MAX_FAULTS = 20;
/** Bytes of Base64 checked before yielding; a multiple of four. */
const STRIDE = 256 * 1024;

/** The members of an object as exact text; null counts as absent. All objects of a body collect their faults in one list. */
export class StateObject {
  private readonly values = new Map<string, Buffer>();
  /** No members are missing from a missing value or a non-object. */
  private readonly isObject: boolean;

  /** @param known null to accept any name */
  private constructor(
    private readonly path: string,
    bytes: Buffer,
    known: readonly string[] | null,
    private readonly faults: FieldFault[],
  ) {
    const scanner = new JsonScanner(bytes);
    this.isObject = bytes.length > 0 && scanner.isObject();
    if (!this.isObject) {
      if (bytes.length > 0) this.fault('', 'must be a JSON object');
      return;
    }
    // Keeps only known members within the limit: a body may have millions.
    const seen = new Set<string>();
    scanner.members((name) => {
      const value = bytes.subarray(...scanner.value());
      if (known && !known.includes(name)) {
        this.fault(name, `is not a known field; known are ${known.join(', ')}`);
        return;
      }
      if (seen.has(name)) this.fault(name, 'is given twice');
      else if (seen.size === MAX_PARTS) throw tooMany(path);
      else if (scanner.excess) this.fault(name, `must not have more than ${MAX_ELEMENT_LEVELS} levels`);
      else if (known === null || value.length !== 4 || value.toString() !== 'null') this.values.set(name, value);
      seen.add(name);
    });
  }

  static async ofBody(body: Buffer, known: readonly string[]): Promise<StateObject> {
    assertUtf8(body);
    const from = textStart(body);
    const check = new JsonCheck(body, from);
    const slices = new TimeSlices();
    while (!check.advance(STRIDE)) await slices.pauseIfDue();
    if (check.fault) throw brokenJson(body, check.fault);
    const bytes = body.subarray(from);
    if (!new JsonScanner(bytes).isObject()) throw invalidField('body', 'must be a JSON object');
    return new StateObject('', bytes, known, []);
  }

  get isFine(): boolean {
    return this.faults.length === 0;
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  object(name: string, known: readonly string[]): StateObject {
    return new StateObject(this.at(name), this.present(name) ?? EMPTY, known, this.faults);
  }

  /** An object of objects with any names; empty if absent. */
  objects(name: string, known: readonly string[]): [string, StateObject][] {
    const bytes = this.values.get(name);
    if (bytes === undefined) return [];
    const outer = new StateObject(this.at(name), bytes, null, this.faults);
    return [...outer.values.keys()].map((key) => {
      const fault = idFault(key);
      if (fault !== null) outer.fault(key, fault);
      return [key, outer.object(key, known)];
    });
  }

  elements(name: string, known: readonly string[]): StateObject[] {
    const bytes = this.present(name);
    if (bytes === null) return [];
    const scanner = new JsonScanner(bytes);
    if (!scanner.isArray()) {
      this.fault(name, 'must be an array');
      return [];
    }
    const elements: StateObject[] = [];
    scanner.elements(() => {
      if (elements.length === MAX_PARTS) throw tooMany(this.at(name));
      const element = bytes.subarray(...scanner.value());
      elements.push(new StateObject(`${this.at(name)}[${elements.length}]`, element, known, this.faults));
    });
    return elements;
  }

  array(name: string): Buffer {
    const bytes = this.present(name) ?? EMPTY_ARRAY;
    if (!new JsonScanner(bytes).isArray()) this.fault(name, 'must be an array');
    return bytes;
  }

  exact(name: string): Buffer {
    const bytes = this.present(name) ?? EMPTY_OBJECT;
    if (bytes.length > MAX_METADATA_BYTES) throw tooLong(this.at(name), MAX_METADATA_BYTES);
    if (!new JsonScanner(bytes).isObject()) this.fault(name, 'must be a JSON object');
    return bytes;
  }

  id(name: string, furtherFault: (id: string) => string | null = () => null): string {
    return this.text(name, (id) => idFault(id) ?? furtherFault(id));
  }

  text(name: string, faultOf: (text: string) => string | null): string {
    const value = this.parsed(name);
    if (value === undefined) return '';
    const fault = typeof value === 'string' ? faultOf(value) : 'must be a string';
    if (fault !== null) this.fault(name, fault);
    return String(value);
  }

  integer(name: string): number {
    const value = this.parsed(name);
    if (value === undefined) return 0;
    const isFine = Number.isInteger(value) && Math.abs(value as number) <= MAX_INTEGER;
    if (!isFine) this.fault(name, `must be an integer from -${MAX_INTEGER} to ${MAX_INTEGER}`);
    return value as number;
  }

  /** Exact JSON of a string or a number. */
  version(name: string): string {
    const value = this.parsed(name);
    if (value === undefined) return '';
    if (typeof value === 'string' && value !== '') this.text(name, idFault);
    else if (typeof value !== 'number' && value !== '') this.fault(name, 'must be a string or a number');
    return this.values.get(name)!.toString();
  }

  /** Base64 without the quotes; `digestOf` validates it. */
  base64(name: string): Buffer {
    const bytes = this.present(name);
    if (bytes === null) return EMPTY;
    if (bytes[0] !== QUOTE) {
      this.fault(name, 'must be a string');
      return EMPTY;
    }
    // Some writers escape the slash.
    return bytes.includes(BACKSLASH) ? Buffer.from(JSON.parse(bytes.toString()) as string) : bytes.subarray(1, -1);
  }

  /** The SHA-256 of the decoded Base64. Accepts only the canonical form, so that it is returned unchanged. */
  async digestOf(path: string, data: Buffer, slices: TimeSlices): Promise<string> {
    const sha = createHash('sha256');
    for (let from = 0; from < data.length; from += STRIDE) {
      const part = data.subarray(from, from + STRIDE).toString('latin1');
      const bytes = Buffer.from(part, 'base64');
      if (bytes.toString('base64') !== part || (part.endsWith('=') && from + STRIDE < data.length)) {
        this.faults.push({ path, detail: 'must be Base64 with padding' });
        return '';
      }
      sha.update(bytes);
      await slices.pauseIfDue();
    }
    return sha.digest('hex');
  }

  fault(name: string, detail: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ path: this.at(name), detail });
  }

  /** @throws DomainError `invalid` with the faulty members */
  assertFine(): void {
    const [first] = this.faults;
    if (!first) return;
    const { faults: errors } = this;
    throw new DomainError('invalid', 'invalid_request', `${first.path}: ${first.detail}`, { errors });
  }

  private at(name: string): string {
    const shown = cutText(name, MAX_NAME);
    if (this.path === '') return shown;
    return name === '' ? this.path : `${this.path}.${shown}`;
  }

  private present(name: string): Buffer | null {
    const value = this.values.get(name) ?? null;
    if (value === null && this.isObject) this.fault(name, 'is missing');
    return value;
  }

  /** Undefined if missing, which is noted as a fault. */
  private parsed(name: string): unknown {
    const value = this.present(name);
    if (value === null) return undefined;
    // Longer values cannot be valid here and could take much memory.
    return value.length > MAX_SHORT_BYTES ? [] : (JSON.parse(value.toString()) as unknown);
  }
}

const EMPTY = Buffer.alloc(0);
const EMPTY_OBJECT = Buffer.from('{}');
const EMPTY_ARRAY = Buffer.from('[]');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_INTEGER = 2 ** 31 - 1;

function tooMany(path: string): DomainError {
  return tooLarge(path, `must have at most ${MAX_PARTS} members`);
}

function tooLong(path: string, bytes: number): DomainError {
  return tooLarge(path, `must be at most ${bytes} bytes`);
}

function tooLarge(path: string, detail: string): DomainError {
  return new DomainError('too_large', 'state_too_large', `${path}: ${detail}`, { errors: [{ path, detail }] });
}
