import type { Logger } from '@orrery/kube'
import type { LogAction } from '../config/task-config.js'
import type { Templates } from '../template/template.js'
import type { Execution } from './execution.js'

/** Writes the message of a task to the log. A message that cannot be rendered does not fail the event. */
export function logAction(action: LogAction, execution: Execution, templates: Templates, log: Logger): void {
  try {
    log[action.level]('message of the task', { message: templates.render(action.message, execution.params) })
  } catch (error) {
    log.error('cannot render the message of the task', { template: action.message, error: (error as Error).message })
  }
}
