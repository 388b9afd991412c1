import type { ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Failure } from './states.js';

interface ActDialogProps {
  title: string;
  children: ReactNode;
  /** The label of the confirming button, and while it is in progress. */
  act: string;
  acting: string;
  kind?: 'main' | 'danger';
  isPending: boolean;
  isDisabled?: boolean;
  error: unknown;
  onAct: () => void;
  onClose: () => void;
}

/** Asks for confirmation. If the server refuses, stays open and shows its message. */
export function ActDialog({
  title,
  children,
  act,
  acting,
  kind = 'main',
  isPending,
  isDisabled = false,
  error,
  onAct,
  onClose,
}: ActDialogProps) {
  return (
    <Dialog
      title={title}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Close</Button>
          <Button kind={kind} isDisabled={isPending || isDisabled} onPress={onAct}>
            {isPending ? acting : act}
          </Button>
        </>
      }
    >
      {children}
      {error !== null && <Failure error={error} />}
    </Dialog>
  );
}
