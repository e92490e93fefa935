/** Sentences about a task that is solved stage by stage. */
import type { StagePlanned, StageSubtask } from '@/generated/events'
import { formatProbability } from '@/lib/format'
import { many } from '@/strings/many'

import type { Ending, Phase, Verdict } from './stages'

type Status = StageSubtask['status']
type Origin = StagePlanned['origin']

const phase: Readonly<Record<Phase, string>> = {
  choosing: 'choosing',
  working: 'at work',
  judging: 'being judged',
  success: 'success',
  refine: 'refine',
  fail: 'fail',
  unjudged: 'no verdict',
  stopped: 'stopped',
}

export const text = {
  tab: 'Stages',
  side: 'Plan and stage',
  agents: 'Agents',
  views: 'Stages or agents',
  progress: 'Done subtasks',
  spokenOf: (done: number, subtasks: number, left: string | null) =>
    `${done} of ${many(subtasks, 'subtask is', 'subtasks are')} done${left === null ? '' : `, about ${left} left`}`,
  stage: (number: number) => `Stage ${number}`,
  layer: (number: number) => `Layer ${number}`,
  subtask: (ordinal: number) => `Subtask ${ordinal}`,
  short: (stage: number, what: string) => `Stage ${stage}: ${what}`,
  phase,
  status: {
    TODO: 'to do',
    DONE: 'done',
    FAILED: 'failed',
    'NEED-REFINE': 'needs refinement',
  } satisfies Record<Status, string>,
  judged: ({ verdict, confidence }: { verdict: Verdict; confidence: number }) =>
    `Verdict: ${phase[verdict]}, ${formatProbability(confidence)} sure`,
  takenUp: (stage: number | null) =>
    stage === null ? 'Taken up again before the answer' : `Taken up again at stage ${stage}`,
  lost: 'The worker was lost. Another one continued after the last finished stage.',
  ending: {
    completed: 'All subtasks are done',
    early_exit: 'Ended early',
    out_of_stages: 'No stage is left',
    out_of_time: 'No time for another stage',
    unassessed: 'Ended after one stage',
  } satisfies Record<Ending, string>,
  endingHelp: {
    completed: 'The evaluator has accepted every subtask.',
    early_exit: 'The workflow chose Early-exit: no further agents were needed.',
    out_of_stages: 'The settings allow no further stage, and some subtasks are not done.',
    out_of_time:
      'Another stage may have taken longer than the time left. To allow more, raise the seconds in the run’s budget.',
    unassessed: 'Without task state there is no evaluator, so one stage is all.',
  } satisfies Record<Ending, string>,
  replay: {
    planned: (stage: number, asked: string) => `Stage ${stage} begins: ${asked}`,
    layer: (stage: number, layer: number, names: string) =>
      `Layer ${layer} of stage ${stage}: ${names || 'no agent'}`,
    assessed: (stage: number, verdict: string, sure: string) =>
      `Stage ${stage} is judged: ${verdict}, ${sure} sure`,
    ended: (stage: number) => `The state after stage ${stage}`,
  },
  strip: {
    label: 'Stages of the run',
    planning: (stage: number) => `Stage ${stage} is being planned`,
    empty: 'There is no stage yet.',
    notRun: 'does not run',
    workflow: (layers: readonly string[]) => `Workflow: ${layers.join(', then ')}`,
    chosen: (stage: number) => `Workflow of stage ${stage}`,
    sure: (confidence: number) => `${formatProbability(confidence)} sure`,
  },
  choice: {
    title: 'How likely each agent was',
    greedy: 'In each layer the likeliest agents were taken',
    drawn: 'In each layer agents were drawn by these probabilities',
    mass: (mass: number, most: number | null) =>
      `, until they had ${formatProbability(mass)} together${most === null ? '' : ` or were ${String(most)}`}.`,
    massHelp: 'The threshold ρ of the cumulative probability (EvoMAS, Eq. 29).',
    fixed: 'The settings name this workflow, so there are no probabilities.',
    waits: 'The workflow of this stage has not been chosen yet.',
    rings: (layers: number) =>
      `${many(layers, 'ring', 'rings')}, the innermost for layer 1. Each sector is an agent. The table has the numbers.`,
    agent: 'Agent',
    together: 'Chosen together',
    rank: (rank: number) => `number ${rank}`,
    legend: 'A sector with a number was chosen, in this order.',
    sector: (name: string, layer: number, probability: string) =>
      `${name}, layer ${layer}: ${probability}`,
    inner: 'Inside: layer 1',
  },
  plan: {
    title: 'Plan',
    none: 'The task has not been divided yet.',
    count: (count: number) => many(count, 'subtask', 'subtasks'),
    done: (done: number, all: number) => `${done} of ${all} done`,
    now: 'now',
    attempts: (count: number) => many(count, 'attempt', 'attempts'),
    result: 'Result',
    resultOf: (ordinal: number) => `Result of subtask ${ordinal}`,
    copy: (ordinal: number) => `Copy the result of subtask ${ordinal}`,
    by: (name: string) => `by ${name}`,
    open: (name: string) => `Details of ${name}`,
  },
  answer: {
    sources: 'Sources of the answer',
    named: 'Named as sources',
    read: 'Also read',
    more: (count: number) => `Show ${count} more`,
    less: 'Show fewer',
  },
  detail: {
    planner: 'Planner',
    plannerSaid: {
      model: 'The planner made or checked the plan.',
      repaired: 'The first reply of the planner was no plan, so it was asked again.',
      fallback: 'The planner gave no usable plan, so the plan stays as it was.',
      given: 'The planner was not asked: the plan stays as it was.',
    } satisfies Record<Origin, string>,
    problem: (why: string) => `Problem: ${why}`,
    leftOut: (count: number) =>
      `${many(count, 'subtask was', 'subtasks were')} left out: the plan may not be longer.`,
    agents: 'Workflow',
    evaluator: 'Evaluator',
    evaluatorSaid: {
      model: '',
      repaired: 'The first reply of the evaluator had no verdict, so it was asked again.',
      fallback: 'The evaluator gave no verdict, so the stage counts as “refine”.',
      given: 'The evaluator was not asked: there was nothing to judge.',
    } satisfies Record<Origin, string>,
    judging: 'The evaluator reads what the stage left.',
    unjudged: 'No evaluator judged this stage.',
    waits: 'The agents have not finished yet.',
    tools: (count: number) => many(count, 'tool call', 'tool calls'),
    read: 'What the workflow was chosen by',
    readHelp: 'The compact state. The adapter compares each line with each agent.',
  },
  state: {
    title: 'State after the stage',
    planChanges: 'Changes of the plan',
    waits: 'The stage has not ended yet.',
    same: 'Nothing changed.',
    added: 'new',
    removed: 'dropped',
    reordered: 'The order of the subtasks changed.',
    fields: {
      status: 'Status',
      attempts: 'Attempts',
      text: 'Wording',
      artifact: 'Result',
      by: 'By',
      active: 'Works on',
      trouble: 'Trouble',
      hint: 'Hint',
      history: 'History',
    },
    to: 'changes to',
    nothing: 'nothing',
    record: (stage: number, workflow: string, verdict: string) =>
      `Stage ${stage}: ${workflow || 'no agent'}; ${verdict}`,
  },
  agent: {
    title: 'Stage',
    open: (stage: number) => `Show stage ${stage}`,
    part: {
      planner: 'It plans the subtasks.',
      evaluator: 'It judges the stage.',
    },
    layer: (layer: number) => `It works in layer ${layer}.`,
    counts: 'Its result counts for a subtask.',
    chosen: (rank: number, layer: number, probability: string) =>
      `Chosen as number ${rank} of layer ${layer}, with a probability of ${probability}.`,
    greedy: 'The likeliest agents were taken.',
    drawn: 'The agents were drawn.',
  },
} as const
