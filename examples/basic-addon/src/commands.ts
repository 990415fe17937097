import { type Command, parseControllerFlags, runAddonManager, UsageError } from '@orrery/addon'
import { periodically, runAddonAgent, runAddonTask, withdrawReports } from '@orrery/addon/agent'
import { basicAddon } from './addon.js'
import { ADDON, AGENT, REPORTS } from './names.js'
import { observe } from './observe.js'
import { type ReportSettings, reportAll } from './reports.js'

/** Runs on the hub. */
const controller: Command = (args) => {
  const { EXAMPLE_IMAGE_NAME: image = '' } = process.env
  const addon = basicAddon(image === '' ? {} : { image })
  return runAddonManager({ name: `${ADDON}-controller`, addons: [addon], ...parseControllerFlags(args) })
}

const DEFAULTS = { 'sync-interval': '60', 'pod-limit': '100' } as const

/** Runs on each managed cluster. */
const agent: Command = (args) =>
  runAddonAgent({
    name: ADDON,
    args,
    flags: DEFAULTS,
    deployment: AGENT,
    controllers: (context) => {
      const settings = settingsFrom(context.flags.more)
      return [
        periodically({
          name: 'reports',
          seconds: settings.intervalSeconds,
          run: async (signal) => reportAll(context, await observe(context.managed, signal), settings),
        }),
      ]
    },
  })

function settingsFrom(flags: Readonly<Record<string, string>>): ReportSettings {
  return { intervalSeconds: numberFlag(flags, 'sync-interval'), podLimit: numberFlag(flags, 'pod-limit') }
}

function numberFlag(flags: Readonly<Record<string, string>>, name: keyof typeof DEFAULTS): number {
  const value = Number(flags[name])
  if (Number.isInteger(value) && value > 0) return value
  throw new UsageError(`--${name} must be a whole number from 1, not ${JSON.stringify(flags[name])}`)
}

/** Deletes the claim on a managed cluster, for a pre-delete hook. The hub deletes the other reports. */
const cleanup: Command = (args) =>
  runAddonTask({ name: ADDON, args, flags: DEFAULTS }, (connected) =>
    withdrawReports(connected, { claims: [REPORTS.claim] }),
  )

export const commands = { controller, agent, cleanup }
