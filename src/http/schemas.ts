import { ApiExtension } from '@nestjs/swagger';

/** The documentation's schema of a member that may hold any JSON. */
export const ANY_JSON = {
  oneOf: [
    { type: 'string', nullable: true },
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'number' },
    { type: 'boolean' },
  ],
};

/** Marks open objects in the OpenAPI draft; `openapi.ts` turns it into `additionalProperties`. */
export const OPEN_EXTENSION = 'x-waystation-open';

/** Documents that a response of this class, or of a subclass, may have further members. */
export function OpenObject(): ClassDecorator {
  return ApiExtension(OPEN_EXTENSION, true) as ClassDecorator;
}
