import { ChoiceField, CheckField, TextField } from './fields.tsx';
import { type FormProblems, type RunForm, problemAt } from './plan-form.ts';

interface Props {
  run: RunForm;
  index: number;
  problems: FormProblems;
  onChange: (change: Partial<RunForm>) => void;
}

/** One run of a plan. */
export function RunFields({ run, index, problems, onChange }: Props) {
  const at = (field: string): string | undefined => problemAt(problems, `runs.${index}.${field}`);
  return (
    <div className="run-fields">
      <TextField
        label="Name"
        help="Stands in lanes and tables; each run has its own."
        value={run.name}
        problem={at('name')}
        onChange={(name) => onChange({ name })}
      />
      <TextField
        label="Prompt"
        help="A longer prompt lengthens the wait; it hardly changes the pace."
        rows={4}
        value={run.prompt}
        problem={at('prompt')}
        onChange={(prompt) => onChange({ prompt })}
      />
      <div className="field-row">
        <TextField
          label="Cap, tokens"
          help="Stops the reply here at the latest."
          numeric
          value={run.max_new_tokens}
          problem={at('max_new_tokens')}
          onChange={(value) => onChange({ max_new_tokens: value })}
        />
        <TextField
          label="Repeats"
          help="Samples of the same request. Fewer than 5 say little."
          numeric
          value={run.repeats}
          problem={at('repeats')}
          onChange={(repeats) => onChange({ repeats })}
        />
        <TextField
          label="Cancel after, tokens"
          help="Stops by request, as a user would. Empty: never."
          numeric
          placeholder="never"
          value={run.cancel_after}
          problem={at('cancel_after')}
          onChange={(value) => onChange({ cancel_after: value })}
        />
        <TextField
          label="Chunk size, tokens"
          help="Evaluates the prompt in pieces: can be stopped between them, usually waits longer. Empty: all at once."
          numeric
          placeholder="all at once"
          value={run.chunk_size}
          problem={at('chunk_size')}
          onChange={(value) => onChange({ chunk_size: value })}
        />
      </div>
      <div className="field-row two">
        <CheckField
          label="KV cache"
          help="Off: every token evaluates the whole text again, so the pace slows with each one."
          checked={run.use_cache}
          onChange={(checked) => onChange({ use_cache: checked })}
        />
        <ChoiceField
          label="Logits"
          help="All: also computes those of prompt positions that nobody reads. Lengthens the wait."
          value={run.logits}
          choices={[
            { value: 'last', label: 'last position' },
            { value: 'all', label: 'all positions' },
          ]}
          onChange={(logits) => onChange({ logits })}
        />
      </div>
    </div>
  );
}
