import type { Response } from 'express';
import type { LaunchedRun } from '../run-launcher.js';
import { RunStartedDto } from './dto/run-started.dto.js';
import type { WebhookRefusal } from './foreign-body.js';

/** 202 with the run, or 200 if none was started. */
export function startResponse(
  response: Response,
  outcome: LaunchedRun | WebhookRefusal,
): RunStartedDto | WebhookRefusal {
  if ('runId' in outcome) return RunStartedDto.from(outcome);
  response.status(200);
  return outcome;
}
