/** One of each Markdown construct: a heading, lists, a table, code, formulas, a quote, a link and an external image. */
export const RICH_TEXT = `## Lantern, in one page

The **release** is *nearly* ready: ~~four~~ three tests fail, all in \`upload\`.

| area | tests | pass | trend |
|:-----|------:|-----:|:-----:|
| core | 230 | 230 | ↑ |
| upload | 12 | 9 | ↓ |
| page | 170 | 170 | → |

- [x] read the notes
- [ ] fix the clock
  1. find the code that reads the weekday
  2. pass the date to the tests

\`\`\`ts
export const isOpen = (at: Date): boolean => at.getDay() !== 1; // Mondays?
\`\`\`

The pass rate is $p = \\frac{409}{412} \\approx 0.993$. With $n$ tests that each fail with probability $q$, all of them pass with

$$
P = (1 - q)^n
$$

> Tests should not know what day it is.

See [the release notes](https://lantern.example/releases/3.0).

![The Lantern logo](https://lantern.example/logo.png)
`;
