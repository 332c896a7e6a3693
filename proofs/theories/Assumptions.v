(** What each theorem assumes beyond its statement. *)

From Brrkit Require Import Hamming Weights Exponential Certificate Postprocessing Composition Text Brr Memory Device BudgetSpent BudgetTime Batches.

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
Print Assumptions costs_add_up.
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
