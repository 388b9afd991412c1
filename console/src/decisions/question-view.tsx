import { useId, useState } from 'react';
import { visibleString } from '../lib/visible-text.js';
import { Button } from '../ui/button.js';
import { classes } from '../ui/classes.js';
import { JsonView } from '../ui/json-view.js';
import { Plain } from '../ui/plain-text.js';
import { VisibleText } from '../ui/visible-text.js';
import { chosenBy, entryOf, withEntry, writtenBy, type Call, type Entry, type Question } from './answers.js';
import type { Draft } from './draft.js';
import '../ui/field.css';

/** Longest free-text answer, in characters. */
const MAX_ANSWER = 10_000;

interface QuestionCallProps {
  call: Call & { questions: Question[] };
  draft: Draft;
  onDraft: (draft: Draft) => void;
  isRefused: boolean;
  /** Absent if the calls are decided together. */
  onRefused: ((isRefused: boolean) => void) | undefined;
  mayDecide: boolean;
}

/** The questions of one call, as a form. */
export function QuestionCall({ call, draft, onDraft, isRefused, onRefused, mayDecide }: QuestionCallProps) {
  const [isRaw, setIsRaw] = useState(false);
  const name = call.name ?? 'question';
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
            <ToolName name={name} />
          </label>
        ) : (
          <ToolName name={name} />
        )}
        {isRefused && <span className="faint">will be declined</span>}
        <span className="tools">
          <Button kind="quiet" onPress={() => setIsRaw(!isRaw)}>
            {isRaw ? 'Questions' : 'Raw'}
          </Button>
        </span>
      </header>
      {isRaw ? (
        <JsonView value={call.raw} label="The call as reported" />
      ) : (
        <div className="questions">
          {call.questions.map((question) => (
            <QuestionField
              key={question.id}
              question={question}
              entry={entryOf(draft, call.index, question)}
              onEntry={(entry) => onDraft(withEntry(draft, call.index, question, entry))}
              isDisabled={!mayDecide || isRefused}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function ToolName({ name }: { name: string }) {
  return (
    <b className="name mono">
      <VisibleText text={name} isValue />
    </b>
  );
}

interface QuestionFieldProps {
  question: Question;
  entry: Entry;
  onEntry: (entry: Entry) => void;
  isDisabled: boolean;
}

function QuestionField({ question, entry, onEntry, isDisabled }: QuestionFieldProps) {
  const id = useId();
  const { text, header, options, multiple, free_text, required, default: given } = question;
  const isOptional = !required && !multiple && options.length > 0;
  return (
    <fieldset className="question" disabled={isDisabled}>
      <legend id={`${id}-text`}>
        <span className="kind">
          {header !== null && (
            <>
              <VisibleText text={header} isValue /> ·{' '}
            </>
          )}
          {required ? 'required' : 'optional'}
          {multiple && ' · several answers'}
        </span>
        <Plain text={text} />
      </legend>
      {options.map(({ label, value, description }) => (
        <label key={value} className="option">
          <input
            type={multiple ? 'checkbox' : 'radio'}
            name={id}
            checked={entry.chosen.includes(value)}
            onChange={() => onEntry(chosenBy(question, entry, value))}
          />
          <span>
            <b>
              <VisibleText text={label} isValue />
            </b>
            {[given ?? []].flat().includes(value) && <span className="given"> default</span>}
            {description !== null && (
              <span className="about">
                <VisibleText text={description} />
              </span>
            )}
          </span>
        </label>
      ))}
      {isOptional && (
        <label className="option">
          <input
            type="radio"
            name={id}
            checked={entry.chosen.length === 0 && entry.own === ''}
            onChange={() => onEntry({ chosen: [], own: '' })}
          />
          <span>No answer</span>
        </label>
      )}
      {free_text && (
        <textarea
          className="input"
          rows={options.length > 0 ? 1 : 2}
          maxLength={MAX_ANSWER}
          aria-label={`${options.length > 0 ? 'Own words' : 'Answer'}: ${visibleString(text)}`}
          placeholder={
            options.length === 0
              ? 'Your answer'
              : multiple
                ? 'Another answer, in your own words'
                : 'Or in your own words'
          }
          value={entry.own}
          onChange={(event) => onEntry(writtenBy(question, entry, event.target.value))}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
      )}
    </fieldset>
  );
}
