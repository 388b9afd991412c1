import { getRouteApi } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { RUN_STATUS } from '../../../../../src/common/contract/run-status.js';
import { Button } from '../../../ui/button.js';
import { Status } from '../../../ui/status.js';
import type { Step } from '../data/steps.js';
import { useThread } from '../data/thread-context.js';
import { effectsQuery } from '../data/thread-queries.js';
import { DETAIL_TABS, type DetailTab } from '../thread-search.js';
import type { StepRows } from '../transcript/use-rows.js';
import { NewInStep } from './new-in-step.js';
import { RawStep } from './raw-step.js';
import { approvalsOfStep, StepApproval, TONES as TONES_OF_APPROVALS } from './step-approval.js';
import { StepDifference } from './step-difference.js';
import { StepEffects } from './step-effects.js';
import { StepFigures } from './step-figures.js';
import './step-details.css';

const route = getRouteApi('/threads/$threadId');
const NAMES: Record<DetailTab, string> = {
  new: 'New',
  difference: 'Difference',
  raw: 'Raw',
  effects: 'Effects',
  approval: 'Approval',
};

/** Everything about the selected step. */
export function StepDetails({ rows }: { rows: StepRows }) {
  const { step, runSteps, select } = useThread();
  const at = step ? runSteps.indexOf(step) : -1;
  const goTo = (index: number) => select({ step: runSteps[index]! });
  return (
    <section className="pane details" aria-label="Step">
      <header>
        <h2>{step ? `Step ${step.step_index}` : 'No step yet'}</h2>
        {step && <StepStatus step={step} />}
        {step && (
          <span className="around">
            <Button
              kind="quiet"
              icon="before"
              aria-label="Previous step"
              isDisabled={at <= 0}
              onPress={() => goTo(at - 1)}
            />
            <Button
              kind="quiet"
              icon="down"
              aria-label="Next step"
              isDisabled={at >= runSteps.length - 1}
              onPress={() => goTo(at + 1)}
            />
          </span>
        )}
      </header>
      {step ? (
        <div className="scroller" tabIndex={0} role="region" aria-label="Details of the step">
          <StepFigures step={step} />
          <StepTabs step={step} rows={rows} />
        </div>
      ) : (
        <p className="nothing">The run has started and has not reported a step.</p>
      )}
    </section>
  );
}

/** For a step that asked, the outcome of its question: it no longer waits. */
function StepStatus({ step }: { step: Step }) {
  const { approvals } = useThread();
  const asked = approvalsOfStep(approvals, step).at(-1);
  const isOver = step.status === RUN_STATUS.waiting && asked !== undefined && asked.status !== 'pending';
  return isOver ? (
    <Status status={asked.status} tone={TONES_OF_APPROVALS[asked.status]} />
  ) : (
    <Status status={step.status} />
  );
}

function StepTabs({ step, rows }: { step: Step; rows: StepRows }) {
  const { id, approvals } = useThread();
  const { tab = 'new' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: effects = [] } = useQuery(effectsQuery(id, step.trace_id));
  const counts: Partial<Record<DetailTab, number>> = {
    new: rows.freshCount,
    effects: effects.length,
    approval: approvalsOfStep(approvals, step).length,
  };
  const choose = (key: DetailTab) =>
    void navigate({
      search: (now) => ({ ...now, tab: key === 'new' ? undefined : key }),
      replace: true,
      resetScroll: false,
    });
  const panels: Record<DetailTab, () => ReactNode> = {
    new: () => <NewInStep step={step} rows={rows} />,
    difference: () => <StepDifference step={step} />,
    raw: () => <RawStep step={step} />,
    effects: () => <StepEffects step={step} rows={rows} />,
    approval: () => <StepApproval step={step} />,
  };
  return (
    <Tabs className="tabs" selectedKey={tab} onSelectionChange={(key) => choose(key as DetailTab)}>
      <TabList aria-label="About the step">
        {DETAIL_TABS.map((name) => (
          <Tab key={name} id={name}>
            {NAMES[name]}
            {(counts[name] ?? 0) > 0 && <span className="count">{counts[name]}</span>}
          </Tab>
        ))}
      </TabList>
      <TabPanel key={tab} id={tab}>
        {panels[tab]()}
      </TabPanel>
    </Tabs>
  );
}
