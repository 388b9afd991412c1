import { ValidationPipe, type Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  NotEquals,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import fc from 'fast-check';
import { acceptedInstance } from './accepted-instance.js';
import { PageQueryDto } from './page-query.dto.js';

class ManyRules {
  @IsString()
  @Length(1, 4)
  @Matches(/^[a-z]*$/)
  a: string;

  @IsOptional()
  @IsInt({ message: 'whole' })
  @Min(1)
  @Max(9)
  b?: number;

  @ValidateIf((object: ManyRules) => object.b !== 7)
  @IsIn(['x', 'y', 7])
  @NotEquals('y')
  c?: unknown;

  @IsDefined()
  @Allow()
  d: unknown;

  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(2)
  @IsString({ each: true })
  e: string[] = ['own'];

  f = 'without rules';
}

class MoreRules extends ManyRules {
  @IsOptional()
  @Transform(({ value }) => (value === 'true' ? true : (value as unknown)))
  @IsBoolean()
  g?: boolean;

  @Min(2)
  override b?: number;
}

class Nested {
  @ValidateNested()
  a: ManyRules;
}

class Late {
  @ValidateIf(() => true)
  @IsIn([])
  a: string;
}

const CLASSES: Type<object>[] = [ManyRules, MoreRules, PageQueryDto, Late];
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'limit', 'cursor', 'count'];
const ODD_NAMES = ['zzz', 'toString', '__proto__', 'constructor', 'hasOwnProperty', ''];
const VALUES = ['x', 'y', 'abc', 'abcde', '', '7', '0', '201', 'true', 7, 1, 0, 9.5, -1];

const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>(...VALUES, true, null, undefined) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom<unknown>(...VALUES, null), { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.anything({ maxDepth: 2 }) },
);
const entries = fc.array(fc.tuple(fc.constantFrom(...NAMES, ...ODD_NAMES), value), { maxLength: 6 });

/** With what names every object has made members of its own, as JSON.parse and the parser of queries do. */
function objectOf(members: readonly (readonly [string, unknown])[], prototype: object | null): object {
  const object = Object.create(prototype) as object;
  for (const [key, member] of members) {
    Object.defineProperty(object, key, { value: member, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

describe('What is accepted without the pipe', () => {
  const pipe = new ValidationPipe({ transform: true, whitelist: true, stopAtFirstError: true });

  it('is accepted by the pipe, which makes the same of it', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CLASSES), entries, fc.boolean(), async (type, members, isBare) => {
        const prototype = isBare ? null : Object.prototype;
        const instance = acceptedInstance(type, objectOf(members, prototype));
        if (instance === null) return;
        accepted += 1;
        const expected: unknown = await pipe.transform(objectOf(members, prototype), { type: 'body', metatype: type });
        expect(instance).toStrictEqual(expected);
      }),
      { numRuns: 4_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  it.each(CLASSES.map((type) => [type.name, type] as const))(
    'is what the pipe accepts of flat values for %s',
    async (_, type) => {
      const flat = fc.array(fc.tuple(fc.constantFrom(...NAMES, 'zzz'), fc.constantFrom<unknown>(...VALUES)), {
        maxLength: 4,
      });
      await fc.assert(
        fc.asyncProperty(flat, async (members) => {
          const instance = acceptedInstance(type, Object.fromEntries(members));
          const metadata = { type: 'body', metatype: type } as const;
          const isAccepted = await pipe.transform(Object.fromEntries(members), metadata).then(
            () => true,
            () => false,
          );
          expect(instance !== null).toBe(isAccepted);
        }),
        { numRuns: 300 },
      );
    },
  );
});

it('leaves classes to the pipe that hold others, and values that hold objects', () => {
  expect(acceptedInstance(Nested, { a: { a: 'x' } })).toBeNull();
  expect(acceptedInstance(ManyRules, { a: 'x', c: 'x', d: {} })).toBeNull();
  expect(acceptedInstance(class Plain {}, {})).toBeNull();
});
