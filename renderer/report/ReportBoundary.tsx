import { Component, type ReactNode } from 'react';
import { messageOf } from '../../shared/errors.ts';

/** A report that cannot be drawn says so in its place; the rest of the window stays. */
export class ReportBoundary extends Component<{ children: ReactNode }, { message: string | null }> {
  override state: { message: string | null } = { message: null };

  static getDerivedStateFromError(error: unknown): { message: string } {
    return { message: messageOf(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    if (message === null) return this.props.children;
    return (
      <div className="compare-message" role="alert">
        <h2>The report cannot be drawn</h2>
        <p>{message}</p>
        <p>The figures are in the timeline’s table, and the record can be exported as CSV or JSON.</p>
      </div>
    );
  }
}
