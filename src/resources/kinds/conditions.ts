// The conditions in the status of objects, as Kubernetes has them.
import { field, fields, int64, list, object, oneOf, text, time } from '../field.ts';

const condition = fields(() => ({
  type: field(text, 'What is observed, e.g. `Ready`.', { required: true, omit: 'never' }),
  status: field(oneOf('True', 'False', 'Unknown'), 'Whether it is so.', { required: true, omit: 'never' }),
  observedGeneration: field(int64, 'Generation of the object that was observed.'),
  lastTransitionTime: field(time, 'When status last changed.', { omit: 'never' }),
  reason: field(text, 'Reason, as one word.', { omit: 'never' }),
  message: field(text, 'Explanation for people.', { omit: 'never' }),
}));

/** The field `conditions` of a status. */
export const conditions = field(list(object(condition)), 'What the controllers of Calico observe.');
