(** The assumptions of each theorem beyond its statement. *)

From Brrkit Require Import Hamming Weights Exponential Certificate Postprocessing Composition Text Brr.
From Brrkit Require Import Memory Device BudgetSpent BudgetTime Batches Sentences.

Print Assumptions distance_triangle.
Print Assumptions weigh_distance.
Print Assumptions weight_table_good.
Print Assumptions weight_table_cap.
Print Assumptions normalizer_fits.
Print Assumptions exponential_private.
Print Assumptions exponential_private_cap.
Print Assumptions exponential_distribution.
Print Assumptions exponential_bounded.
Print Assumptions exponential_bounded_cap.
Print Assumptions certified_private.
Print Assumptions postprocessing.
Print Assumptions events.
Print Assumptions composition.
Print Assumptions joint_distribution.
Print Assumptions costs_add_up.
Print Assumptions by_mass_distribution.
Print Assumptions unknown_private.
Print Assumptions token_private.
Print Assumptions text_private.
Print Assumptions text_private_one_word.
Print Assumptions text_distribution.
Print Assumptions exponential_text_private.
Print Assumptions exponential_text_private_cap.
Print Assumptions cases_product.
Print Assumptions noise_distribution.
Print Assumptions randomizer_bounded.
Print Assumptions flip_threshold_good.
Print Assumptions brr_private.
Print Assumptions of_randomizer_bounded.
Print Assumptions memory_renaming.
Print Assumptions memory_places.
Print Assumptions memory_distribution.
Print Assumptions memory_of_tokens.
Print Assumptions released_is_spent.
Print Assumptions spend_is_step.
Print Assumptions released_in_time.
Print Assumptions released_in_time_honest.
Print Assumptions replaced_draw.
Print Assumptions release_symbol_mean.
Print Assumptions release_symbol_loses.
Print Assumptions response_good.
Print Assumptions code_loses.

From Brrkit Require Import Program Uniform Draw Counts Sample Shuffle Binomial ShuffledDelta
  ShuffledGuarantee ExpBounds Guarantee Certified.

Print Assumptions loses_bind.
Print Assumptions loses_after.
Print Assumptions each_number_is_of_some_bytes.
Print Assumptions no_number_is_of_others.
Print Assumptions accepted_equally.
Print Assumptions drawn_equally.
Print Assumptions run_probability.
Print Assumptions unfinished_vanishes.
Print Assumptions draw_exact.
Print Assumptions draw_mean.
Print Assumptions draw_fits.
Print Assumptions draw_loses.
Print Assumptions stand_in_fits.
Print Assumptions unknown_draw_exact.
Print Assumptions exponential_unknown_draw.
Print Assumptions respond_exact.
Print Assumptions respond_loses.
Print Assumptions keep_threshold_good.
Print Assumptions respond_twice_mean.
Print Assumptions respond_twice_loses.
Print Assumptions collect_as_chosen.
Print Assumptions day_loses.
Print Assumptions day_with_memory_loses.
Print Assumptions blanket_decomposition.
Print Assumptions report_among_uniforms.
Print Assumptions shuffled_one_report.
Print Assumptions delta_of_any_pair.
Print Assumptions shuffled_reports.
Print Assumptions delta_given_falls.
Print Assumptions mean_high_spec.
Print Assumptions rows_spec.
Print Assumptions one_high_spec.
Print Assumptions shuffled_guarantee.
Print Assumptions exp_low_spec.
Print Assumptions exponential_guarantee.
Print Assumptions exponential_guarantee_cap.
Print Assumptions exponential_draws.
Print Assumptions exponential_guarantee_of_bytes.
Print Assumptions text_guarantee.
Print Assumptions text_guarantee_cap.
Print Assumptions flip_guarantee.
Print Assumptions report_draws.
Print Assumptions report_guarantee.
Print Assumptions day_guarantee.
Print Assumptions passed_guarantee.
Print Assumptions exponential_passed_guarantee.
Print Assumptions exponential_passed_guarantee_cap.
Print Assumptions passed_text_guarantee.
Print Assumptions certified_guarantee.
Print Assumptions certified_text_guarantee.

From Brrkit Require Import Passing Policy Session.

Print Assumptions pass_mean.
Print Assumptions pass_draws.
Print Assumptions pass_loses.
Print Assumptions pass_fits.
Print Assumptions pass_exact.
Print Assumptions passed_bounded.
Print Assumptions passed_far.
Print Assumptions passed_text.
Print Assumptions passed_memory.
Print Assumptions typed_as_head.
Print Assumptions spent_is_step.
Print Assumptions policy_same.
Print Assumptions session_same.

From Brrkit Require Import Coupling Life LifeLoss DeviceGuarantee Order.

Print Assumptions coupled_bind.
Print Assumptions coupled_event.
Print Assumptions live_as_chosen.
Print Assumptions device_live_loses.
Print Assumptions same_typed_same_life.
Print Assumptions epsilon_is_true.
Print Assumptions certificate_is_true.
Print Assumptions device_guarantee.
Print Assumptions device_guarantee_honest.
Print Assumptions device_guarantee_any_time.
Print Assumptions device_guarantee_day.
Print Assumptions device_guarantee_year.
Print Assumptions run_on_runs.
Print Assumptions ordered_as_lived.

From Brrkit Require Import Statements.

Print Assumptions a_word.
Print Assumptions a_day_of_counts.
Print Assumptions a_shuffle.
Print Assumptions a_budget.
Print Assumptions an_honest_budget.
Print Assumptions a_device.
Print Assumptions a_device_in_a_day.
Print Assumptions a_device_in_a_year.
Print Assumptions a_list.
Print Assumptions checked_word.
Print Assumptions checked_word_cap.
Print Assumptions checked_text.
Print Assumptions checked_text_cap.
Print Assumptions checked_flips.
Print Assumptions checked_report.
Print Assumptions checked_day.
Print Assumptions checked_passing.
Print Assumptions checked_certificate.
Print Assumptions checked_passing_cap.
Print Assumptions checked_passing_text.
