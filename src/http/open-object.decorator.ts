import { ApiExtension } from '@nestjs/swagger';

/** Marks open objects in the OpenAPI draft; `openapi.ts` turns it into `additionalProperties`. */
export const OPEN_EXTENSION = 'x-waystation-open';

/** Documents that an answer of this class, or of a subclass, may have further members. */
export function OpenObject(): ClassDecorator {
  return ApiExtension(OPEN_EXTENSION, true) as ClassDecorator;
}
