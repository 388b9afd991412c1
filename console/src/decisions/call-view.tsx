import { useState } from 'react';
import { stringifyExact } from '../api/exact-json.js';
import { readableJson } from '../lib/readable-json.js';
import { hidesSomething, visibleString } from '../lib/visible-text.js';
import { Button } from '../ui/button.js';
import { classes } from '../ui/classes.js';
import { CopyButton } from '../ui/copy-button.js';
import { Icon } from '../ui/icon.js';
import { JsonView } from '../ui/json-view.js';
import { PlainText } from '../ui/plain-text.js';
import { VisibleText } from '../ui/visible-text.js';
import { ArgumentsEditor } from './arguments-editor.js';
import { argumentsText, canEdit, type Call } from './draft.js';
import type { Approval } from './inbox.js';

interface CallViewProps {
  approval: Approval;
  call: Call;
  isAlone: boolean;
  isRefused: boolean;
  /** Absent if the calls are decided together. */
  onRefused: ((isRefused: boolean) => void) | undefined;
  /** The edited arguments, as text. */
  edit: string | undefined;
  isEditing: boolean;
  onEdit: (text: string | undefined) => void;
  onEditing: (isEditing: boolean) => void;
  mayDecide: boolean;
}

/** One call: its tool and its exact arguments. */
export function CallView(props: CallViewProps) {
  const { approval, call, isAlone, isRefused, onRefused, edit, isEditing, onEdit, onEditing, mayDecide } = props;
  const [isRaw, setIsRaw] = useState(false);
  const text = typeof call.args === 'string' ? call.args : argumentsText(call.args);
  const shown = typeof call.args === 'string' ? call.args : readableJson(call.args);
  const name = call.name ?? 'tool';
  const isEditable = mayDecide && canEdit(approval, call) && !isRefused;
  return (
    <div
      role="group"
      className={classes('call', isRefused && 'refused')}
      aria-label={`Call ${call.index + 1}: ${visibleString(name)}`}
    >
      <header>
        {onRefused ? (
          <label>
            <input type="checkbox" checked={!isRefused} onChange={(event) => onRefused(!event.target.checked)} />
            <CallName name={name} />
          </label>
        ) : (
          <CallName name={name} />
        )}
        {isRefused && <span className="faint">will not run</span>}
        <span className="tools">
          {isEditable && !isEditing && (
            <Button kind="quiet" onPress={() => onEditing(true)} hint={isAlone ? 'e' : undefined}>
              {edit === undefined ? 'Edit' : 'Edit again'}
            </Button>
          )}
          {call.raw !== null && (
            <Button kind="quiet" onPress={() => setIsRaw(!isRaw)}>
              {isRaw ? 'Arguments' : 'Raw'}
            </Button>
          )}
          <CopyButton text={text} label={`Copy the arguments of ${visibleString(name)}`} />
        </span>
      </header>
      {isRaw ? (
        <JsonView value={call.raw} label="The call as reported" />
      ) : (
        <>
          <div
            className={classes('arguments mono', edit !== undefined && 'original')}
            tabIndex={0}
            role="group"
            aria-label="Arguments"
          >
            <PlainText text={shown} isValue />
          </div>
          {(isEditing || edit !== undefined) && (
            <ArgumentsEditor call={call} text={edit} isEditing={isEditing} onEdit={onEdit} onEditing={onEditing} />
          )}
        </>
      )}
      <Warnings name={name} args={call.args} isCut={call.raw === null} />
    </div>
  );
}

function CallName({ name }: { name: string }) {
  return (
    <b className="name mono">
      <VisibleText text={name} isValue />
    </b>
  );
}

function Warnings({ name, args, isCut }: { name: string; args: unknown; isCut: boolean }) {
  const isHidden = hidesSomething(name) || hidesSomething(stringifyExact(args));
  return (
    <>
      {isHidden && (
        <p className="warning">
          <Icon name="warning" /> Contains invisible or direction-changing characters, shown in boxes.
        </p>
      )}
      {isCut && (
        <p className="warning">
          <Icon name="warning" /> The call is too large to show in full.
        </p>
      )}
    </>
  );
}
