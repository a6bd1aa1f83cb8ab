// Eight specialists at once against one: the endpoint gives each of them 300 ms.
import { frost, settingsFor } from '../home.mjs';
import { timed } from '../process.mjs';

export function delegation({ home, endpoint }) {
  const run = (count) => async () => {
    endpoint.take();
    const env = home.env(settingsFor(endpoint, `delegate-${count}`, 'pause-300'));
    const { wall } = await timed([frost, 'ask', 'Delegate the parts.'], { env, cwd: home.cwd });
    const children = endpoint.take().filter((request) => request.body.model === 'pause-300').length;
    if (children !== count) throw new Error(`${children} of ${count} specialists asked the endpoint`);
    return { wall };
  };
  return {
    subjects: { one: run(1), eight: run(8) },
    rows: [
      {
        id: 'delegations',
        what: 'eight delegations at once, wall',
        against: 'one delegation',
        ours: ['eight', 'wall'],
        base: ['one', 'wall'],
        value: (pick) => pick('eight', 'wall') / pick('one', 'wall'),
        bound: 1.3,
        unit: '×',
      },
    ],
  };
}
