import { type DeviceChoice, DEVICE_CHOICES } from '../../shared/plan.ts';
import { ChoiceField, OptionalPart, TextField } from './fields.tsx';
import { type FormProblems, type PlanForm, problemAt } from './plan-form.ts';

const DEVICE_LABELS: Record<DeviceChoice, string> = {
  cpu: 'processor',
  webgpu: 'WebGPU',
  cuda: 'CUDA',
  coreml: 'Core ML',
  dml: 'DirectML',
  auto: 'automatic',
};

interface Props {
  form: PlanForm;
  problems: FormProblems;
  onChange: (form: PlanForm) => void;
}

/** What holds for all runs of a plan, and what comes beside them. */
export function PlanFields({ form, problems, onChange }: Props) {
  const { warmup, batch, prefix } = form;
  const at = (place: string): string | undefined => problemAt(problems, place);
  return (
    <div className="plan-fields">
      <div className="field-row two">
        <TextField
          label="Name of the plan"
          help="Becomes the name of the record."
          value={form.name}
          problem={at('name')}
          onChange={(name) => onChange({ ...form, name })}
        />
        <TextField
          label="Threads"
          help="Of the runtime. More are not always faster. Empty: one for each physical core."
          numeric
          placeholder="automatic"
          value={form.threads}
          problem={at('threads')}
          onChange={(threads) => onChange({ ...form, threads })}
        />
      </div>
      <ChoiceField
        label="Device"
        help="What this machine's runtime does not have is refused before anything runs. Automatic: the first graphics device that loads the model, else the processor."
        value={form.device}
        choices={DEVICE_CHOICES.map((value) => ({ value, label: DEVICE_LABELS[value] }))}
        onChange={(device) => onChange({ ...form, device })}
      />
      <OptionalPart
        label="Warm-up"
        help="The first request after loading pays for what later ones find ready. It is drawn apart and counts in no run."
        on={warmup.on}
        onChange={(on) => onChange({ ...form, warmup: { ...warmup, on } })}
      >
        <TextField
          label="Warm-up prompt"
          help="Any text does."
          value={warmup.prompt}
          problem={at('warmup.prompt')}
          onChange={(prompt) => onChange({ ...form, warmup: { ...warmup, prompt } })}
        />
        <TextField
          label="Cap, tokens"
          help="A few are enough."
          numeric
          value={warmup.max_new_tokens}
          problem={at('warmup.max_new_tokens')}
          onChange={(value) => onChange({ ...form, warmup: { ...warmup, max_new_tokens: value } })}
        />
      </OptionalPart>
      <OptionalPart
        label="Batch sweep"
        help="Several requests in one forward pass: more tokens per second in all, each of them later. Its own loop, never compared with single requests."
        on={batch.on}
        onChange={(on) => onChange({ ...form, batch: { ...batch, on } })}
      >
        <TextField
          label="Batch sizes"
          help="Separated by commas."
          value={batch.batch_sizes}
          problem={at('batch_sweep.batch_sizes')}
          onChange={(value) => onChange({ ...form, batch: { ...batch, batch_sizes: value } })}
        />
        <TextField
          label="Cap, tokens"
          help="For each row."
          numeric
          value={batch.max_new_tokens}
          problem={at('batch_sweep.max_new_tokens')}
          onChange={(value) => onChange({ ...form, batch: { ...batch, max_new_tokens: value } })}
        />
        <TextField
          label="Prompts"
          help="One in each line; rows take them in turn."
          rows={3}
          value={batch.prompts}
          problem={at('batch_sweep.prompts')}
          onChange={(prompts) => onChange({ ...form, batch: { ...batch, prompts } })}
        />
      </OptionalPart>
      <OptionalPart
        label="Prefix reuse"
        help="Evaluates a prompt once whole and once with the cache of its beginning: what a shared prefix saves, and whether it changes the answer."
        on={prefix.on}
        onChange={(on) => onChange({ ...form, prefix: { ...prefix, on } })}
      >
        <TextField
          label="Prefix"
          help="What is cached."
          rows={3}
          value={prefix.prefix}
          problem={at('prefix_reuse.prefix')}
          onChange={(value) => onChange({ ...form, prefix: { ...prefix, prefix: value } })}
        />
        <TextField
          label="Suffix"
          help="What is evaluated on top of it."
          value={prefix.suffix}
          problem={at('prefix_reuse.suffix')}
          onChange={(suffix) => onChange({ ...form, prefix: { ...prefix, suffix } })}
        />
      </OptionalPart>
    </div>
  );
}
