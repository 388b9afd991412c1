import { registerDecorator, type ValidationOptions } from 'class-validator';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const MAX_URL = 2048;

/** No characters that a terminal or a log would interpret, and no lone surrogates, which no database stores. */
export const NO_CONTROL_CHARACTERS = /^[^\p{Cc}\p{Cs}]*$/u;

/** For members that may be absent but not null. */
export const isPresent = (_dto: object, value: unknown): boolean => value !== undefined;

/** A URL at which platforms can reach this server: https, or http on this machine. */
export function IsPublicBaseUrl(options: ValidationOptions): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isPublicBaseUrl',
      target: target.constructor,
      propertyName: String(property),
      options,
      validator: { validate: isPublicBaseUrl },
    });
}

function isPublicBaseUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > MAX_URL || /[\s\p{Cc}\\]/u.test(value) || !URL.canParse(value)) {
    return false;
  }
  const { protocol, hostname, username, password, search, hash } = new URL(value);
  if (username !== '' || password !== '' || search !== '' || hash !== '' || /[?#]/.test(value)) return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
