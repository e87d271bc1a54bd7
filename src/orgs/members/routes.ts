import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Deps } from '../../api/deps.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { Member, MemberRef, RoleList, UpdateMember } from '../schema.ts';
import { listRoles } from './queries.ts';
import { changeMember, listMembersWithRole, removeMember } from './service.ts';

export const memberRoutes: FastifyPluginAsyncZod<Deps> = async (app) => {
  app.get('/roles', {
    config: { scope: 'teams:read' },
    schema: {
      operationId: 'listRoles',
      summary: 'List roles',
      description: 'Lists the roles that every organization has, by name: admin, agent and viewer.',
      tags: ['members'],
      response: { 200: RoleList, ...errorResponses(403) },
    },
    handler: async ({ db, org }) => ({ items: await listRoles(db, org.id), next: null }),
  });

  app.get('/members', {
    config: { scope: 'teams:read' },
    schema: {
      operationId: 'listMembers',
      summary: 'List members',
      description: 'Lists all members by id, each with its strongest role, and whether sessions may be assigned to it.',
      tags: ['members'],
      response: { 200: z.array(Member), ...errorResponses(403) },
    },
    handler: ({ db, org }) => listMembersWithRole(db, org.id),
  });

  app.patch('/members/:id', {
    config: { scope: 'teams:write' },
    schema: {
      operationId: 'updateMember',
      summary: 'Update a member',
      description:
        'Changes the name, the role or the availability of a member. `role` replaces all its roles. The last admin keeps this role (409).',
      tags: ['members'],
      params: MemberRef,
      body: UpdateMember,
      response: { 200: Member, ...errorResponses(403, 404, 409) },
    },
    handler: ({ db, org, params, body }) => changeMember(db, org.id, params.id, body),
  });

  app.delete('/members/:id', {
    config: { scope: 'teams:write' },
    schema: {
      operationId: 'removeMember',
      summary: 'Remove a member',
      tags: ['members'],
      description:
        'Ends the membership with its roles, teams, drafts, private views, login links and dashboard sessions. The member’s sessions lose their assignee, some time later if they are many. The last admin cannot be removed (409).',
      params: MemberRef,
      response: { 200: NoBody, ...errorResponses(403, 404, 409) },
    },
    handler: async ({ db, org, params }) => {
      await removeMember(db, org.id, params.id);
      return NO_BODY;
    },
  });
};
