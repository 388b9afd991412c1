import { Module } from '@nestjs/common';
import { ThreadsModule } from '../threads/threads.module.js';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsExpiryService } from './approvals-expiry.service.js';
import { ApprovalsLookupService } from './approvals-lookup.service.js';
import { ApprovalsMetricsService } from './approvals-metrics.service.js';
import { ApprovalsRecorder } from './approvals.recorder.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';
import { ApprovalsStreamService } from './approvals-stream.service.js';
import { RuleBook } from './rules/rule-book.js';
import { RuleDecider } from './rules/rule-decider.js';
import { RuleLock } from './rules/rule-lock.js';
import { RuleRehearsalService } from './rules/rule-rehearsal.service.js';
import { RuleSuggestionsService } from './rules/rule-suggestions.service.js';
import { RuleTransactions } from './rules/rule-transactions.js';
import { RuleUsesRetentionService } from './rules/rule-uses-retention.service.js';
import { RulesController } from './rules/rules.controller.js';
import { RulesService } from './rules/rules.service.js';
import { RulesRepository } from './rules/rules.repository.js';

/** Tool calls that wait for a person, the decisions on them, and standing rules. */
@Module({
  imports: [ThreadsModule],
  controllers: [ApprovalsController, RulesController],
  providers: [
    ApprovalsRepository,
    ApprovalsService,
    ApprovalsLookupService,
    ApprovalsRecorder,
    ApprovalsExpiryService,
    ApprovalsStreamService,
    ApprovalsMetricsService,
    RulesRepository,
    RuleBook,
    RuleLock,
    RuleTransactions,
    RuleDecider,
    RulesService,
    RuleRehearsalService,
    RuleSuggestionsService,
    RuleUsesRetentionService,
  ],
  exports: [ApprovalsService, ApprovalsLookupService, ApprovalsStreamService],
})
export class ApprovalsModule {}
