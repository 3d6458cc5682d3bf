import { useEffect, useMemo } from 'react';
import { comparisonWords } from '../../shared/comparison-text.ts';
import type { Comparison } from '../../shared/compare.ts';
import { EcdfChart } from '../charts/EcdfChart.tsx';
import { useController } from '../state/context.ts';
import type { OpenedRecord } from '../state/state.ts';
import { readPalette } from '../timeline/palette.ts';
import { TimelineView } from '../timeline/TimelineView.tsx';
import { MetricTable } from './MetricTable.tsx';
import { OutputCard } from './OutputCard.tsx';
import type { Pair, Side } from './pair.ts';
import { PairChart } from './PairChart.tsx';
import { PairPicker } from './PairPicker.tsx';
import { pairTrace } from './pair-trace.ts';
import { StandingCard } from './StandingCard.tsx';
import { type SideState, useComparison, usePair, useSide } from './use-pair.ts';

interface Props {
  id: string;
  open: OpenedRecord;
  theme: 'light' | 'dark';
}

/** Two runs against each other: whether they may be compared, what may be said, and both on one axis. */
export function ComparePage({ id, open, theme }: Props) {
  const pair = usePair(id);
  if (open.record.runs.length === 0 && open.record.batch_sweep.length === 0) {
    return (
      <Message title="Nothing to compare">
        This record holds no runs. Open one that does, or run the plan to its end.
      </Message>
    );
  }
  if (pair === null) return <Waiting words="Reading the other record" />;
  return (
    <main className="compare-page">
      <h1 className="hidden">Compare two runs</h1>
      <PairPicker id={id} pair={pair} />
      <div className="compare-body">
        <PairBody id={id} pair={pair} theme={theme} />
      </div>
    </main>
  );
}

function PairBody({ id, pair, theme }: { id: string; pair: Pair; theme: 'light' | 'dark' }) {
  const a = useSide(pair.a);
  const b = useSide(pair.b);
  const subjectA = a.status === 'ready' ? a.subject : null;
  const subjectB = b.status === 'ready' ? b.subject : null;
  const made = useComparison(subjectA, subjectB);
  const problem = problemOf('A', a) ?? problemOf('B', b);
  if (problem !== null) return <Refusal message={problem} />;
  if (b.status === 'none' || pair.b === null) {
    return (
      <Message title="One run alone">
        There is no second run to compare with. Open another record, or choose a run of one that is open as B.
      </Message>
    );
  }
  if (a.status !== 'ready' || b.status !== 'ready') return <Waiting words="Reading the record" />;
  switch (made.status) {
    case 'computing':
      return <Waiting words="Computing the 95% intervals" />;
    case 'error':
      return <Refusal message={`The two cannot be compared: ${made.message}`} />;
    case 'ready':
      return (
        <Compared
          id={id}
          comparison={made.comparison}
          a={{ side: pair.a, open: a.open }}
          b={{ side: pair.b, open: b.open }}
          theme={theme}
        />
      );
  }
}

interface ComparedProps {
  id: string;
  comparison: Comparison;
  a: { side: Side; open: OpenedRecord };
  b: { side: Side; open: OpenedRecord };
  theme: 'light' | 'dark';
}

function Compared({ id, comparison, a, b, theme }: ComparedProps) {
  const controller = useController();
  const { side: sideA, open: openA } = a;
  const { side: sideB, open: openB } = b;
  const trace = useMemo(
    () => pairTrace({ side: sideA, open: openA }, { side: sideB, open: openB }),
    [sideA, openA, sideB, openB],
  );
  const words = useMemo(() => comparisonWords(comparison), [comparison]);
  // Canvases take their colours from the document, which has those of the theme by now.
  const palette = useMemo(() => ({ ...readPalette(), theme }), [theme]);
  useEffect(() => {
    controller.showPair(id, trace);
    return () => controller.showPair(id, null);
  }, [controller, id, trace]);
  const drawn = trace.a !== null && trace.b !== null;
  return (
    <>
      {drawn && <OutputCard output={comparison.output} words={words.output} a={trace.a} b={trace.b} />}
      <StandingCard comparison={comparison} />
      <MetricTable comparison={comparison} notes={words.notes} />
      {drawn && (
        <section className="card pair-timeline" aria-labelledby="pair-timeline-title">
          <h2 id="pair-timeline-title">Both on one axis, from the start of each request</h2>
          <TimelineView theme={theme} />
        </section>
      )}
      {trace.a !== null && trace.b !== null && (
        <section className="card pair-charts" aria-label="Intervals of both">
          <PairChart a={trace.a} b={trace.b} palette={palette} />
          <EcdfChart groups={trace.groups} selected={-1} palette={palette} />
        </section>
      )}
    </>
  );
}

function problemOf(letter: string, side: SideState): string | null {
  return side.status === 'error' ? `${letter}: ${side.message}.` : null;
}

function Refusal({ message }: { message: string }) {
  return (
    <div className="compare-message" role="alert">
      <h2>There is nothing to compare</h2>
      <p>{message}</p>
      <p>Choose another record or run above.</p>
    </div>
  );
}

function Message({ title, children }: { title: string; children: string }) {
  return (
    <div className="compare-message">
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}

function Waiting({ words }: { words: string }) {
  return (
    <div className="compare-message" role="status">
      <h2>{words}</h2>
      <progress aria-label={words} />
    </div>
  );
}
