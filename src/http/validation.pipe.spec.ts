import { IsInt, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { cpuMsOfLater } from '../../test/support/cpu-time.js';
import type { DomainError } from '../common/domain-error.js';
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

class Free {
  @IsObject()
  config: object;
}

const pipe = new RequestValidationPipe();
const check = async (value: unknown, type: 'body' | 'query', metatype: new () => object) =>
  pipe.transform(value, { type, metatype });

describe('A body', () => {
  it('becomes an instance of its class', async () => {
    expect(await check({ name: 'a', parts: [{ index: 1 }] }, 'body', Outer)).toBeInstanceOf(Outer);
  });

  it('that is wrong is refused with the path of every fault', async () => {
    const body = { name: 1, parts: [{ index: 'x' }] };
    await expect(check(body, 'body', Outer)).rejects.toMatchObject({
      kind: 'invalid',
      errors: [
        { path: 'name', detail: 'must be a string' },
        { path: 'parts[0].index', detail: 'must be a whole number' },
      ],
    });
  });

  it('is refused for the names that nobody knows before anything else is looked at', async () => {
    const body = { name: 1, parts: [{ index: 'x' }, { more: 1 }], extra: true };
    await expect(check(body, 'body', Outer)).rejects.toMatchObject({
      errors: [
        { path: 'extra', detail: 'is not a known field' },
        { path: 'parts[1].more', detail: 'is not a known field' },
      ],
    });
  });

  it('lists twenty faults at most, and no long name', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`${'x'.repeat(10_000)}${i}`, i]));
    for (const body of [unknown, { name: 'a', parts: Array.from({ length: 50 }, () => ({ index: 'x' })) }]) {
      const { errors } = await check(body, 'body', Outer).then(
        () => ({ errors: [] }),
        (error: DomainError) => error,
      );
      expect(errors).toHaveLength(20);
      expect(JSON.stringify(errors).length).toBeLessThan(6_000);
    }
  });

  it('may hold anything where its class describes nothing, and keeps it as it is', async () => {
    const config = JSON.parse('{"constructor":1,"toString":{"__proto__":{"a":1}},"parts":[{"x":[]}]}') as object;
    const checked = (await check({ config }, 'body', Free)) as Free;
    expect(checked).toBeInstanceOf(Free);
    expect(checked.config).toBe(config);
  });

  it.each(['members', 'open members', 'members of members', 'elements'])(
    'is checked in time that grows no faster than its %s',
    async (what) => {
      const bodyOf = (count: number): object => {
        const many = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
        if (what === 'members') return many;
        if (what === 'open members') return { config: many };
        if (what === 'members of members') return { name: 'a', parts: [many] };
        return { name: 'a', parts: Array.from({ length: count }, () => ({ index: 'x' })) };
      };
      const type = what === 'open members' ? Free : Outer;
      const cpuMs = (body: object) => cpuMsOfLater(() => check(body, 'body', type).catch(() => undefined));
      const [small, large] = [bodyOf(10_000), bodyOf(80_000)];
      await cpuMs(small);
      // Other work of this process may slow one of them.
      const isFair = async () => (await cpuMs(large)) < 20 * (await cpuMs(small)) + 100;
      expect((await isFair()) || (await isFair()) || (await isFair())).toBe(true);
    },
  );

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

  it('has the default of a parameter without a value', async () => {
    expect(await check({ limit: '', cursor: '' }, 'query', PageQueryDto)).toEqual({ limit: 50 });
  });

  it.each(['0', '201', '-1', '1.5', 'ten', ' 5', ['5', '6']])('must not have a limit of %j', async (limit) => {
    await expect(check({ limit }, 'query', PageQueryDto)).rejects.toMatchObject({
      errors: [{ path: 'limit', detail: 'must be a whole number from 1 to 200' }],
    });
  });
});
