import { useState } from 'react';
import { useSession, mayManage } from '../../session/session.js';
import { ActDialog } from '../../ui/act-dialog.js';
import { Button } from '../../ui/button.js';
import { RuleSentence } from '../../ui/rule-sentence.js';
import { useRevoke, type Rule } from './rules-data.js';

/** Ends an active rule, for those who may. */
export function Revoke({ rule }: { rule: Rule }) {
  const session = useSession();
  const [isAsked, setAsked] = useState(false);
  const revoke = useRevoke();
  const scope = session.at === 'in' ? session.session?.scope : undefined;
  const mayRevoke = mayManage(session) || (scope === 'approver' && rule.effect === 'allow');
  if (!mayRevoke || rule.status !== 'active') return null;
  return (
    <>
      <Button kind="danger" onPress={() => setAsked(true)} aria-label={`Revoke ${rule.id}`}>
        Revoke
      </Button>
      {isAsked && (
        <ActDialog
          title="Revoke this rule?"
          act="Revoke"
          acting="Revoking…"
          kind="danger"
          isPending={revoke.isPending}
          error={revoke.error}
          onAct={() => revoke.mutate(rule.id, { onSuccess: () => setAsked(false) })}
          onClose={() => setAsked(false)}
        >
          <p>
            <RuleSentence rule={rule} />
          </p>
          <p>From now on it decides nothing. What it has approved stays approved: cancel the run to stop it.</p>
        </ActDialog>
      )}
    </>
  );
}
