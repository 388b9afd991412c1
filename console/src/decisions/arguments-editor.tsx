import { Button } from '../ui/button.js';
import { JsonDiff } from '../ui/json-diff.js';
import { editableText, editOf, type Call } from './draft.js';
import { JsonArea, placedFault } from './json-area.js';

interface ArgumentsEditorProps {
  call: Call;
  /** Undefined while nothing was entered. */
  text: string | undefined;
  isEditing: boolean;
  onEdit: (text: string | undefined) => void;
  onEditing: (isEditing: boolean) => void;
}

/** Edits a call's arguments as JSON; shows where the JSON is wrong, and what differs from the original. */
export function ArgumentsEditor({ call, text, isEditing, onEdit, onEditing }: ArgumentsEditorProps) {
  const shown = text ?? editableText(call.args);
  const edit = editOf(call, shown);
  return (
    <div className="editor">
      {isEditing ? (
        <JsonArea
          label="The arguments to use instead, as JSON"
          text={shown}
          fault={edit.fault}
          onChange={onEdit}
          onEscape={() => onEditing(false)}
        />
      ) : (
        <p className="fault" role="status">
          {edit.fault && placedFault(edit.fault)}
        </p>
      )}
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
