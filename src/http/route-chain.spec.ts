import {
  BadRequestException,
  ConflictException,
  Controller,
  createParamDecorator,
  Get,
  Headers,
  Param,
  UseGuards,
  type CanActivate,
  type PipeTransform,
} from '@nestjs/common';
import { of } from 'rxjs';
import { BareApp } from '../../test/support/bare-app.js';
import { Public } from './access.decorators.js';

const asked: string[] = [];

/** Answers in each of the ways that the framework allows. */
function guard(name: string, answer: () => ReturnType<CanActivate['canActivate']>): CanActivate {
  return {
    canActivate: () => {
      asked.push(name);
      return answer();
    },
  };
}

function pipe(transform: (value: string) => unknown): PipeTransform<string, unknown> {
  return { transform };
}

const later = pipe(async (value) => `${value} later`);
const Promised = createParamDecorator(async () => 'promised');
const yes = guard('now', () => true);
const yesLater = guard('later', () => Promise.resolve(true));
const yesObserved = guard('observed', () => of(true));
const conflict = pipe(() => {
  throw new ConflictException('now');
});
const badLater = pipe(() => Promise.reject(new BadRequestException('later')));

@Controller()
@Public()
class SampleController {
  @Get('all/:id')
  @UseGuards(yes, yesLater, yes, yesObserved)
  all(
    @Param('id', later, later) id: string,
    @Headers('X-Word') word: string,
    @Promised(later) promised: string,
    @Param() params: Record<string, string>,
  ): object {
    return { id, word, promised, params };
  }

  @Get('no')
  @UseGuards(yes, guard('no', () => false), yes)
  no(): void {}

  @Get('no-later')
  @UseGuards(guard('no later', () => Promise.resolve(false)), yes)
  noLater(): void {}

  @Get('no-observed')
  @UseGuards(guard('no observed', () => of(false)), yes)
  noObserved(): void {}

  @Get('faults/:id')
  faults(@Param('id', badLater) _one: string, @Param('id', conflict) _other: string): void {}
}

describe('The chain of a route', () => {
  let server: BareApp;
  beforeAll(async () => {
    server = await BareApp.start([SampleController]);
  });
  beforeEach(() => asked.splice(0));
  afterAll(() => server.stop());

  it('asks guards one after the other and passes arguments through pipes, whether they answer now or later', async () => {
    const answer = await server.api.get('/all/7', { headers: { 'X-Word': 'hello' } });
    expect(answer.json()).toEqual({
      id: '7 later later',
      word: 'hello',
      promised: 'promised later',
      params: { id: '7' },
    });
    expect(asked).toEqual(['now', 'later', 'now', 'observed']);
  });

  it.each([
    ['/no', ['now', 'no']],
    ['/no-later', ['no later']],
    ['/no-observed', ['no observed']],
  ])('refuses %s, and asks no further guard', async (path, names) => {
    expect((await server.api.get(path)).status).toBe(403);
    expect(asked).toEqual(names);
  });

  it('answers with one of several faults, and leaves none unheard', async () => {
    const unheard: unknown[] = [];
    const note = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', note);
    const { status } = await server.api.get('/faults/1');
    process.off('unhandledRejection', note);
    expect([400, 409]).toContain(status);
    expect(unheard).toEqual([]);
  });
});
