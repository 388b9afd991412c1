import { kindOf } from '../../../common/contract/event-types.js';
import { groupOf, likelyTypoOf } from './event-types.js';

describe('The type of an event', () => {
  it.each([
    ['checkpont', 'checkpoint'],
    ['chekcpoint', 'checkpoint'],
    ['Checkpoint', 'checkpoint'],
    ['checkpoints', 'checkpoint'],
    ['thread-started', 'thread_started'],
    ['threadCompleted', 'thread_completed'],
    ['thread_start', 'thread_started'],
    ['thread_errors', 'thread_error'],
    ['heart_beat', 'heartbeat'],
    ['budgetwarning', 'budget_warning'],
    ['workflow_complete', 'workflow_completed'],
    ['team_fail', 'team_failed'],
  ])('%s is a near miss of %s', (type, known) => {
    expect([kindOf(type), likelyTypoOf(type)]).toEqual(['note', known]);
  });

  it.each([
    'tool_installed',
    'check',
    'thread',
    'x',
    '',
    'message',
    'step_completed',
    'thread_paused',
    'a'.repeat(900),
  ])('%s is nobody’s near miss', (type) => {
    expect([kindOf(type), likelyTypoOf(type)]).toEqual(['note', null]);
  });

  it.each(['checkpoint', 'heartbeat', 'budget_warning', 'team_failed', 'thread_idle'])('%s is known', (type) => {
    expect(likelyTypoOf(type)).toBeNull();
  });
});

describe('The agent that the run of a workflow or team goes by', () => {
  it.each([
    ['workflow_started', { name: 'onboarding' }, 'workflow:onboarding'],
    ['workflow_completed', { workflow_name: 'onboarding', workflow_id: '7' }, 'workflow:onboarding'],
    ['team_failed', { team: 'research' }, 'team:research'],
    ['team_started', { team_id: 'r-1', name: '' }, 'team:r-1'],
    ['team_started', { agent_id: 'lead', name: 7 }, 'team:lead'],
    ['workflow_started', {}, 'workflow:unknown'],
  ])('%s with %j', (type, data, agentId) => {
    expect(groupOf(type, data)?.agentId).toBe(agentId);
  });

  it.each(['thread_started', 'workflow_paused', 'team'])('is none for %s', (type) => {
    expect(groupOf(type, { name: 'x' })).toBeNull();
  });
});
