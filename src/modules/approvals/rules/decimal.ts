/** Most digits of a number that a rule compares or adds; longer ones cannot be judged. */
export const MAX_DIGITS = 40;

/** An exact decimal number: `units` times ten to the power of `-scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };

const CANONICAL = /^(-?)(\d+)e(-?\d+)$/;
const PLAIN = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * The number of a canonical JSON text (`canonicalJson`); null for more than 40 significant digits, or 40 before or after the point, and for
 * any other value.
 */
export function decimalOf(canonical: string): Decimal | null {
  if (canonical === '0') return ZERO;
  const match = CANONICAL.exec(canonical);
  if (!match) return null;
  const [, sign, digits, exponent] = match;
  const power = Number(exponent);
  if (Math.max(digits!.length, -power, digits!.length + power) > MAX_DIGITS) return null;
  const units = BigInt(`${sign}${digits}${power > 0 ? '0'.repeat(power) : ''}`);
  return { units, scale: Math.max(0, -power) };
}

/** Reads what `decimalText` wrote. */
export function storedDecimal(text: string): Decimal {
  const [, sign = '', whole = '0', fraction = ''] = PLAIN.exec(text) ?? [];
  return { units: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length };
}

/** Plain decimal notation, also a JSON number. */
export function decimalText({ units, scale }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
  return `${units < 0n ? '-' : ''}${whole}${scale > 0 ? `.${fraction}` : ''}`;
}

/** Negative if the first is less, 0 if they are equal. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const { units } = subtract(one, other);
  return units < 0n ? -1 : Number(units > 0n);
}

export function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { units: unitsAt(one, scale) + unitsAt(other, scale), scale };
}

export function subtract(one: Decimal, other: Decimal): Decimal {
  return add(one, { units: -other.units, scale: other.scale });
}

function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}
