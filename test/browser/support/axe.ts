import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds in the page as it is, one line for each place. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Evaluated, not added as a script: the page's policy forbids those.
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<AxeResult> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} | ${failureSummary}`),
    );
  });
}

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}
