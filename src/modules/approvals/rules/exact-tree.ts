import { canonicalJson, NotCanonicalError } from '../../../common/canonical-json.js';
import { JsonScanner } from '../../../common/json-scanner.js';

/** A JSON value with its exact text. No number becomes a double. */
export type ExactNode = { readonly text: Buffer } & (
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, ExactNode> }
  | { readonly kind: 'array'; readonly elements: readonly ExactNode[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number' | 'literal' }
);

/**
 * Reads a value that means the same to every reader.
 * @param bytes valid JSON in UTF-8
 * @throws NotCanonicalError as `canonicalJson`
 */
export function exactTree(bytes: Buffer, path: string): ExactNode {
  canonicalJson(bytes, path);
  return nodeAt(new JsonScanner(bytes));
}

/** The same; null for a value without a canonical form, such as an object with duplicate names. */
export function exactTreeOrNull(bytes: Buffer): ExactNode | null {
  try {
    return exactTree(bytes, '');
  } catch (error) {
    if (error instanceof NotCanonicalError) return null;
    throw error;
  }
}

/** Canonical JSON: equal values have equal texts. */
export function canonicalOf({ text }: ExactNode): string {
  return canonicalJson(text, '');
}

/** The value at a JSON pointer's tokens (RFC 6901); undefined for none. */
export function nodeAtPointer(root: ExactNode, tokens: readonly string[]): ExactNode | undefined {
  let node: ExactNode | undefined = root;
  for (const token of tokens) node = node && childOf(node, token);
  return node;
}

function childOf(node: ExactNode, token: string): ExactNode | undefined {
  if (node.kind === 'object') return node.members.get(token);
  if (node.kind === 'array' && /^(?:0|[1-9]\d{0,8})$/.test(token)) return node.elements[Number(token)];
  return undefined;
}

/** Whether the value has a member with a matching name at any depth. */
export function hasMember(node: ExactNode, isMeant: (name: string) => boolean): boolean {
  if (node.kind === 'array') return node.elements.some((element) => hasMember(element, isMeant));
  if (node.kind !== 'object') return false;
  for (const [name, member] of node.members) if (isMeant(name) || hasMember(member, isMeant)) return true;
  return false;
}

function nodeAt(scanner: JsonScanner): ExactNode {
  scanner.peek();
  const from = scanner.at;
  const textTo = () => scanner.bytes.subarray(from, scanner.at);
  if (scanner.isObject()) {
    const members = new Map<string, ExactNode>();
    scanner.members((name) => members.set(name, nodeAt(scanner)));
    return { kind: 'object', members, text: textTo() };
  }
  if (scanner.isArray()) {
    const elements: ExactNode[] = [];
    scanner.elements(() => elements.push(nodeAt(scanner)));
    return { kind: 'array', elements, text: textTo() };
  }
  scanner.value();
  const text = textTo();
  const written = text.toString();
  if (written.startsWith('"')) return { kind: 'string', value: JSON.parse(written) as string, text };
  return { kind: /^[-\d]/.test(written) ? 'number' : 'literal', text };
}
