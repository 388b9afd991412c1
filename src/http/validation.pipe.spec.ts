import { IsInt, IsOptional, IsString, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { PageQueryDto } from './page-query.dto.js';
import { RequestValidationPipe } from './validation.pipe.js';

class Inner {
  @IsInt({ message: 'must be a whole number' })
  index: number;
}

class Outer {
  @IsString({ message: 'must be a string' })
  name: string;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Inner)
  parts?: Inner[];

  describe(): string {
    return this.name;
  }
}

const pipe = new RequestValidationPipe();
const check = async (value: unknown, type: 'body' | 'query', metatype: new () => object) =>
  pipe.transform(value, { type, metatype });

describe('A body', () => {
  it('becomes an instance of its class', async () => {
    expect(await check({ name: 'a', parts: [{ index: 1 }] }, 'body', Outer)).toBeInstanceOf(Outer);
  });

  it('that is wrong is refused with the path of every fault', async () => {
    const body = { name: 1, parts: [{ index: 'x' }], extra: true };
    await expect(check(body, 'body', Outer)).rejects.toMatchObject({
      kind: 'invalid',
      errors: expect.arrayContaining([
        { path: 'name', detail: 'must be a string' },
        { path: 'parts[0].index', detail: 'must be a whole number' },
        { path: 'extra', detail: 'is not a known field' },
      ]),
    });
  });

  it.each(['describe', 'toString', 'constructor', '__proto__'])(
    'must not have the field %s, which only its class has',
    async (path) => {
      const body: unknown = JSON.parse(`{"name":"a","${path}":1}`);
      await expect(check(body, 'body', Outer)).rejects.toMatchObject({
        errors: [{ path, detail: 'is not a known field' }],
      });
    },
  );

  it.each([[[]], ['text'], [7], [null], [true]])('must be an object, not %j', async (body) => {
    await expect(check(body, 'body', Outer)).rejects.toMatchObject({
      errors: [{ path: 'body', detail: 'must be a JSON object' }],
    });
  });

  it('must not be nested without end', async () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
    await expect(check({ name: deep }, 'body', Outer)).rejects.toMatchObject({ errors: [{ path: 'body' }] });
  });

  it('that is missing lacks its fields', async () => {
    await expect(check(undefined, 'body', Outer)).rejects.toMatchObject({ errors: [{ path: 'name' }] });
  });
});

describe('A query', () => {
  it('may have parameters that nobody knows', async () => {
    expect(await check({ limit: '7', utm_source: 'x' }, 'query', PageQueryDto)).toEqual({ limit: 7 });
  });

  it('has defaults', async () => {
    expect(await check({}, 'query', PageQueryDto)).toEqual({ limit: 50 });
  });

  it.each(['0', '201', '-1', '1.5', 'ten', '', ' 5', ['5', '6']])('must not have a limit of %j', async (limit) => {
    await expect(check({ limit }, 'query', PageQueryDto)).rejects.toMatchObject({
      errors: [{ path: 'limit', detail: 'must be a whole number from 1 to 200' }],
    });
  });
});
