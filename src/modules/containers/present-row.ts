// The columns of the platform's own row of a container that say nothing beyond the rest: clients that know it read them.

import { parseImage } from './image.js';
import type { ContainerState } from './lifecycle.js';
import type { Spec } from './schema.js';
import type { ContainerRecord } from './store.js';

/** What the platform's row holds beside what else is shown of a container. */
export function presentRow(record: ContainerRecord, state: ContainerState, spec: Spec, stackName: string) {
  const { deployments } = record;
  const last = deployments.at(-1);
  const { repository = spec.ecr_image_uri, tag = null } = parseImage(spec.ecr_image_uri) ?? {};
  // Known once it has run; no client can reach anything by them.
  const arn = (resource: string): string | null =>
    state.lastDeployedAt === null ? null : `arn:aws:ecs:local:000000000000:${resource}`;
  const previous = deployments.at(-2)?.spec.ecr_image_uri;
  return {
    character_id: null,
    ecr_repository_uri: repository,
    ecr_image_tag: tag,
    image_tag: tag,
    ecs_cluster_arn: arn(`cluster/${stackName}`),
    ecs_service_arn: arn(`service/${stackName}/${stackName}`),
    ecs_task_definition_arn: arn(`task-definition/${stackName}:${last?.number}`),
    ecs_task_arn: arn(`task/${stackName}/${last?.id.replaceAll('-', '')}`),
    dockerfile_path: null,
    last_health_check: null,
    metadata: {
      ecr_image_uri: spec.ecr_image_uri,
      is_update: deployments.length > 1,
      architecture: spec.architecture,
      ...(previous !== undefined && { previous_image: previous }),
    },
  };
}
