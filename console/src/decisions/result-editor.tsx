import { Button } from '../ui/button.js';
import { VisibleText } from '../ui/visible-text.js';
import { resultFaultOf, type Draft } from './draft.js';
import { JsonArea } from './json-area.js';

interface ResultEditorProps {
  draft: Draft;
  onDraft: (draft: Draft) => void;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  isActive: boolean;
}

/** The result of a call, if somebody knows it: the agent continues as if the call had returned it. */
export function ResultEditor({ draft, onDraft, isOpen, onOpen, isActive }: ResultEditorProps) {
  const result = draft.result.trim();
  if (!isOpen)
    return (
      <p className="result">
        <Button kind="quiet" hint={isActive ? 'e' : undefined} onPress={() => onOpen(true)}>
          {result === '' ? 'Add its result' : 'Edit its result'}
        </Button>
        {result !== '' && (
          <code className="cut">
            <VisibleText text={result} isValue />
          </code>
        )}
      </p>
    );
  return (
    <div className="editor result">
      <JsonArea
        label="The result of the call, as JSON, for the agent to continue with"
        text={draft.result}
        fault={resultFaultOf(draft)}
        onChange={(result) => onDraft({ ...draft, result })}
        onEscape={() => onOpen(false)}
      />
      <div className="tools">
        <Button
          kind="quiet"
          onPress={() => {
            onDraft({ ...draft, result: '' });
            onOpen(false);
          }}
        >
          Settle without a result
        </Button>
      </div>
    </div>
  );
}
