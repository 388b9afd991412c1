import { useEffect, useId, useRef } from 'react';
import { Button } from '../../ui/button.js';
import { JsonDiff } from '../../ui/json-diff.js';
import { argumentsText, editOf, type Call } from './draft.js';

const MAX_ROWS = 24;

interface ArgumentsEditorProps {
  call: Call;
  /** Undefined while nothing was entered. */
  text: string | undefined;
  isEditing: boolean;
  onEdit: (text: string | undefined) => void;
  onEditing: (isEditing: boolean) => void;
}

/** Other arguments for a call: JSON, with the place of what is wrong, and what differs from the original. */
export function ArgumentsEditor({ call, text, isEditing, onEdit, onEditing }: ArgumentsEditorProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const shown = text ?? argumentsText(call.args);
  const edit = editOf(call, shown);
  useEffect(() => {
    if (isEditing) area.current?.focus();
  }, [isEditing]);
  return (
    <div className="editor">
      {isEditing && (
        <>
          <label htmlFor={id}>The arguments to use instead, as JSON</label>
          <textarea
            ref={area}
            id={id}
            className="mono"
            spellCheck={false}
            autoComplete="off"
            rows={Math.min(MAX_ROWS, shown.split('\n').length + 1)}
            value={shown}
            aria-invalid={edit.fault !== null}
            aria-describedby={`${id}-fault`}
            onChange={(event) => onEdit(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              event.stopPropagation();
              onEditing(false);
            }}
          />
        </>
      )}
      <p className="fault" id={`${id}-fault`} role="status">
        {edit.fault && `Line ${edit.fault.line}, column ${edit.fault.column}: ${edit.fault.message}.`}
      </p>
      {!edit.fault && 'args' in edit && <JsonDiff before={call.args} after={edit.args} label="What the edit changes" />}
      <div className="tools">
        {isEditing && (
          <Button onPress={() => onEditing(false)} isDisabled={edit.fault !== null} hint="Esc">
            Done
          </Button>
        )}
        <Button
          kind="quiet"
          onPress={() => {
            onEdit(undefined);
            onEditing(false);
          }}
        >
          Use the original
        </Button>
      </div>
    </div>
  );
}
